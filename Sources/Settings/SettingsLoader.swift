/// Reads the configuration file, and the secrets that it refers to.
///
/// Nothing else is asked of the machine: the environment and the files come in as values.
package struct SettingsLoader: Sendable {
    package typealias ReadFile = @Sendable (_ path: String) throws(SettingsFileError) -> SettingsFile

    let environment: [String: String]
    let allowInsecurePermissions: Bool
    let readFile: ReadFile

    /// - Parameters:
    ///   - environment: where `env:NAME` looks, and `GOOGLE_APPLICATION_CREDENTIALS`.
    ///   - allowInsecurePermissions: a file with secrets that others can read is a warning instead of a problem.
    ///   - readFile: the file at a path, relative ones from the working directory.
    package init(
        environment: [String: String], allowInsecurePermissions: Bool = false,
        readFile: @escaping ReadFile = SettingsFile.onDisk
    ) {
        self.environment = environment
        self.allowInsecurePermissions = allowInsecurePermissions
        self.readFile = readFile
    }

    package func load(path: String) throws(SettingsProblems) -> Settings {
        let (yaml, isReadableByOthers) = try text(at: path)
        return try parse(yaml: yaml, isReadableByOthers: isReadableByOthers)
    }

    /// Reads the file of `attack --target`, and the secrets that it refers to.
    package func loadTarget(path: String) throws(SettingsProblems) -> AttackTarget {
        let (yaml, isReadableByOthers) = try text(at: path)
        return try read(yaml, isReadableByOthers: isReadableByOthers, as: AttackTarget.read)
    }

    private func text(at path: String) throws(SettingsProblems) -> (yaml: String, isReadableByOthers: Bool) {
        let file: SettingsFile
        do {
            file = try readFile(path)
        } catch {
            throw SettingsProblems([SettingsProblem(line: nil, key: "", message: "\(path) \(error.message)")])
        }
        guard let yaml = file.text else {
            throw SettingsProblems([SettingsProblem(line: nil, key: "", message: "\(path) is not UTF-8")])
        }
        return (yaml, file.isReadableByOthers)
    }

    /// Parses the text of a configuration file.
    ///
    /// - Parameters:
    ///   - yaml: the text.
    ///   - isReadableByOthers: whether the file that it came from is open to others, so that no secret may stand in it.
    /// - Returns: the configuration, with warnings if there are any.
    /// - Throws: ``SettingsProblems`` with everything that is wrong.
    package func parse(yaml: String, isReadableByOthers: Bool = false) throws(SettingsProblems) -> Settings {
        try read(yaml, isReadableByOthers: isReadableByOthers, as: Settings.read)
    }

    private func read<Value>(
        _ yaml: String, isReadableByOthers: Bool, as read: (Entry) -> Value?
    ) throws(SettingsProblems) -> Value {
        let reader = Reader(loader: self, fileIsReadableByOthers: isReadableByOthers)
        let value = Document.compose(yaml, reader: reader).flatMap(read)
        guard let value, reader.problems.isEmpty else { throw SettingsProblems(reader.problems) }
        return value
    }
}
