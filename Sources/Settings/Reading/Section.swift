/// A section whose keys are known: each other key is refused when the section is made.
package struct Section {
    let path: String
    /// The line of the section's own key, which a missing key is reported at.
    let line: Int?
    let reader: Reader
    private let members: [String: Entry]
    private let keys: [String]

    /// A section that is not written (`nil`) is one without keys.
    private init(_ entry: Entry?, path: String, keys: [String], reader: Reader) {
        let members = entry?.members() ?? []
        for member in members where !keys.contains(member.name) {
            member.refuse("is not a key of this section: \(Spelling.hint(for: member.name, among: keys))")
        }
        self.path = path
        self.line = entry?.line
        self.reader = reader
        self.keys = keys
        self.members = Dictionary(members.map { ($0.name, $0) }) { first, _ in first }
    }

    package init(_ entry: Entry, keys: [String]) {
        self.init(entry, path: entry.key, keys: keys, reader: entry.reader)
    }

    /// The section below this one; without keys where it is not written.
    func section(_ name: String, keys: [String]) -> Section {
        Section(self[name], path: path(of: name), keys: keys, reader: reader)
    }

    /// What is written under a key; `nil` where it is left out, or written as `null`.
    package subscript(_ name: String) -> Entry? {
        precondition(keys.contains(name), "\(name) is read but not known")
        return members[name].flatMap { $0.isNull ? nil : $0 }
    }

    /// What is written under a key that may not be left out.
    package func required(_ name: String, _ hint: String) -> Entry? {
        guard let entry = self[name] else {
            refuse(name, "is missing: \(hint)")
            return nil
        }
        return entry
    }

    /// Reports at the key's line where the key is written, and at the section's otherwise.
    package func refuse(_ name: String, _ message: String) {
        reader.refuse(line: members[name]?.line ?? line, key: path(of: name), message)
    }

    func warn(_ name: String, _ message: String) {
        reader.warn(line: members[name]?.line ?? line, key: path(of: name), message)
    }

    private func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}

extension Section {
    /// Refuses a key that belongs to a later version, unless it is left out or `null`.
    func refuseUnsupported(_ name: String, _ instead: String) {
        self[name]?.refuse("is not supported by this version: \(instead)")
    }
}
