import Foundation

/// Ends the process if a rule does not hold, so that libFuzzer keeps the input.
func demand(_ holds: Bool, _ rule: @autoclosure () -> String) {
    guard !holds else { return }
    complain("a rule is broken: " + rule())
    abort()
}

/// Returns a value that must exist, and ends the process if it does not.
func demanded<Value>(_ value: Value?, _ rule: @autoclosure () -> String) -> Value {
    guard let value else {
        complain("a rule is broken: " + rule())
        abort()
    }
    return value
}

func complain(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}
