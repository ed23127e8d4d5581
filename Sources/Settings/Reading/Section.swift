/// A section with a fixed set of keys.
///
/// Its initializer refuses all other keys.
package final class Section {
    let path: String
    /// The line of the section's own key.
    ///
    /// Missing keys are reported at this line.
    let line: Int?
    let reader: Reader
    private let members: [String: Entry]
    private let keys: [String]
    /// The keys that were probably meant by unknown ones.
    private let misspelled: Set<String>
    /// Whether the file contains the section in a form or under a name that was refused.
    private let isUnreadable: Bool
    /// The sections below this one that were read, so that none reports its problems twice.
    private var sections: [String: Section] = [:]

    /// Creates a section.
    ///
    /// If `entry` is `nil`, the section has no keys.
    private init(_ entry: Entry?, path: String, keys: [String], reader: Reader, isMisspelled: Bool = false) {
        let read = entry.map { $0.members() } ?? []
        let members = read ?? []
        var misspelled: Set<String> = []
        for member in members where !keys.contains(member.name) {
            member.refuse("is not a key of this section: \(Spelling.hint(forKey: member.name, among: keys, in: path))")
            if let meant = Spelling.nearest(to: member.name, among: keys) { misspelled.insert(meant) }
        }
        self.misspelled = misspelled
        self.isUnreadable = isMisspelled || read == nil
        self.path = path
        self.line = entry?.line
        self.reader = reader
        self.keys = keys
        self.members = Dictionary(members.map { ($0.name, $0) }) { first, _ in first }
    }

    package convenience init(_ entry: Entry, keys: [String]) {
        self.init(entry, path: entry.key, keys: keys, reader: entry.reader)
    }

    /// The section below this one; it has no keys if the file does not contain it.
    func section<Below: SettingsSection>(_ name: String, _: Below.Type) -> Section {
        if let known = sections[name] { return known }
        let section = Section(
            self[name], path: path(of: name), keys: Below.names, reader: reader,
            isMisspelled: isUnreadable || misspelled.contains(name))
        sections[name] = section
        return section
    }

    /// The entry of a key; `nil` if the key is missing or `null`.
    package subscript(_ name: String) -> Entry? {
        precondition(keys.contains(name), "\(name) is read but not known")
        return members[name].flatMap { $0.isNull ? nil : $0 }
    }

    /// Whether a problem of the key has been reported, also under a misspelled name.
    ///
    /// The value that the operator meant is then unknown. A check of another key must not report a problem that follows
    /// only from the default.
    func isRefused(_ name: String) -> Bool {
        isUnreadable || misspelled.contains(name) || reader.hasProblem(at: path(of: name))
    }

    /// Whether Cloud Run started this process.
    var isOnCloudRun: Bool { reader.loader.environment.areOfCloudRun }

    /// Whether the file contains the key with nothing after it, or only with a comment.
    ///
    /// YAML reads this as `null`.
    func isBlank(_ name: String) -> Bool { members[name]?.writtenText?.isEmpty == true }

    /// The entry of a required key.
    ///
    /// Reports a problem and returns `nil` if it is missing.
    package func required(_ name: String, _ hint: String) -> Entry? {
        guard let entry = self[name] else {
            refuseMissing(name, hint)
            return nil
        }
        return entry
    }

    /// Reports that a key has no value.
    ///
    /// An operator who sees the key in the file could do nothing with "is missing".
    func refuseMissing(_ name: String, _ hint: String) {
        guard isBlank(name) else { return refuse(name, "is missing: \(hint)") }
        refuse(
            name, "has no value: \(hint). A value that begins with # or & needs quotation marks")
    }

    /// Reports a problem at the line of the key, or at the line of the section if the key is missing.
    ///
    /// A key that is missing because it is misspelled, or because the section could not be read, is not reported again.
    package func refuse(_ name: String, _ message: String) {
        guard members[name] != nil || !isUnreadable && !misspelled.contains(name) else { return }
        reader.refuse(line: members[name]?.line ?? line, key: path(of: name), message)
    }

    func warn(_ name: String, _ message: String) {
        reader.warn(line: members[name]?.line ?? line, key: path(of: name), message)
    }

    private func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}

extension [String: String] {
    /// Whether these are the variables of a process that Cloud Run started: an instance of a service, or a task of a job.
    var areOfCloudRun: Bool { ["K_SERVICE", "CLOUD_RUN_JOB"].contains { self[$0]?.isEmpty == false } }
}
