/// Lines of what was found, `key: value`.
struct Summary {
    private(set) var lines: [String] = []

    mutating func add(_ key: String, _ value: String?) {
        if let value { lines.append("\(key): \(value)") }
    }
}

extension [String] {
    /// As YAML writes it on one line.
    var inList: String { "[\(joined(separator: ", "))]" }
}

extension SecretValue.Source {
    /// In a summary, in place of the secret: that it is there, and where it came from.
    var elided: String {
        switch self {
        case .environment(let variable): "[secret elided] from env:\(variable)"
        case .file(let path): "[secret elided] from file:\(path)"
        case .clear: "[secret elided] in clear"
        }
    }
}
