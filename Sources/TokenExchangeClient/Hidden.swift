/// A secret that neither `print` nor `dump` shows, so that it does not reach a log by accident.
struct Hidden<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let value: Value

    init(_ value: Value) { self.value = value }

    var description: String { "***" }
    var debugDescription: String { "***" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Hidden: Equatable where Value: Equatable {}
extension Hidden: Hashable where Value: Hashable {}
