import Yams

/// What stands under one key, and where.
package struct Entry {
    /// The dotted path.
    let key: String
    /// The last part of the path.
    let name: String
    /// The line of the key; of a list's element, its own.
    let line: Int?
    let node: Node
    let reader: Reader

    /// An entry for what comes from the environment, so that its problems are reported under the key that it stands for.
    static func elsewhere(key: String, reader: Reader) -> Entry {
        Entry(key: key, name: key, line: nil, node: .scalar(.init("")), reader: reader)
    }

    func refuse(_ message: String) {
        reader.refuse(line: line, key: key, message)
    }

    /// Reports and answers `nil`, for the end of a `guard`.
    func refusing<Value>(_ message: String) -> Value? {
        refuse(message)
        return nil
    }

    func warn(_ message: String) {
        reader.warn(line: line, key: key, message)
    }
}
