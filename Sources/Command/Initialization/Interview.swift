internal import Foundation
internal import OperatingSystem
internal import Settings

/// A question of `init`.
struct Question {
    let text: String
    /// The option that answers it, with the form of its value.
    let option: String
    /// An answer that shows the form; empty if only the provider knows it.
    var example = ""
    /// The answer if the operator only presses Return.
    var fallback: String?
    /// Whether the fallback is also the answer if there is no terminal.
    var isOptional = false
}

/// The answers of an operator, from options and from the terminal.
struct Interview {
    let hasTerminal: Bool
    /// The options that are missing, because there is no terminal.
    private(set) var missing: [String] = []

    init(hasTerminal: Bool) {
        self.hasTerminal = hasTerminal
    }

    /// Takes the answer of an option, or asks until an answer is accepted.
    ///
    /// - Parameters:
    ///   - given: The answer of the option; `nil` if it was not given.
    ///   - accept: Takes an answer, and returns what is wrong with it.
    /// - Throws: Exit 64 for an option with a wrong answer; exit 1 at the end of the input; every error of `accept`.
    mutating func ask(_ question: Question, given: String?, accept: (String) throws -> [String]) throws {
        guard let answer = given ?? (hasTerminal ? nil : question.isOptional ? question.fallback : nil) else {
            guard hasTerminal else { return missing.append(question.option) }
            return try ask(question, accept: accept)
        }
        let objections = try accept(answer)
        guard objections.isEmpty else {
            throw Exit.because("\(question.option): \(objections.joined(separator: "\n  "))", Exit.usage)
        }
    }

    private func ask(_ question: Question, accept: (String) throws -> [String]) throws {
        Self.say("\n\(question.text)")
        let hint =
            question.fallback.map { "[\($0)]" }
            ?? (question.example.isEmpty ? "(as the provider shows it)" : "(such as \(question.example))")
        while true {
            let answer = try Self.answer("  \(hint): ").trimmingCharacters(in: .whitespaces)
            guard let answer = answer.isEmpty ? question.fallback : answer else {
                Self.say("  This question has no default: write an answer.")
                continue
            }
            let objections = try accept(answer)
            guard !objections.isEmpty else { return }
            for objection in objections { Self.say("  \(objection)") }
        }
    }

    /// Asks for a text that the terminal does not show.
    static func secret() throws -> String {
        try answer("  The secret, which the terminal does not show: ", isHidden: true)
    }

    /// Shows a line, if there is a terminal.
    func say(_ line: String) {
        if hasTerminal { Self.say(line) }
    }

    private static func answer(_ prompt: String, isHidden: Bool = false) throws -> String {
        guard let answer = Terminal.ask(prompt, isHidden: isHidden) else {
            throw Exit.because("the answers ended before the last question, so that nothing was written", Exit.failure)
        }
        return answer
    }

    private static func say(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
