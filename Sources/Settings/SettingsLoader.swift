package import OperatingSystem

/// Reads the configuration file, and the secrets that it refers to.
///
/// Nothing else is asked of the machine: the environment and the files come in as values.
package struct SettingsLoader: Sendable {
    package typealias ReadFile = @Sendable (_ path: String) throws(SettingsFileError) -> SettingsFile

    let environment: [String: String]
    let allowances: Settings.Allowances
    let readFile: ReadFile

    /// - Parameters:
    ///   - environment: where `env:NAME` looks, and `GOOGLE_APPLICATION_CREDENTIALS`.
    ///   - allowances: risks that the operator accepts.
    ///   - readFile: the file at a path, relative ones from the working directory.
    package init(
        environment: [String: String], allowances: Settings.Allowances = .none,
        readFile: @escaping ReadFile = SettingsFile.onDisk
    ) {
        self.environment = environment
        self.allowances = allowances
        self.readFile = readFile
    }

    package func load(path: String) throws(SettingsProblems) -> Settings {
        try load(path: path, as: Settings.read)
    }

    /// Reads a file that is not the server's configuration, by the same rules.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - read: Reads the root of the file, and refuses what is wrong there. It returns nil if no value can be made.
    package func load<Value>(path: String, as read: (Entry) -> Value?) throws(SettingsProblems) -> Value {
        let (yaml, origin) = try text(at: path)
        return try self.read(yaml, from: origin, as: read)
    }

    private func text(at path: String) throws(SettingsProblems) -> (yaml: String, origin: ConfigurationFile) {
        let file: SettingsFile
        do {
            file = try readFile(path)
        } catch {
            throw SettingsProblems([SettingsProblem(line: nil, key: "", message: "\(path) \(error.message)")])
        }
        guard let yaml = file.text else {
            throw SettingsProblems([SettingsProblem(line: nil, key: "", message: "\(path) is not UTF-8")])
        }
        return (yaml, ConfigurationFile(path: path, exposure: file.exposure, openFolders: file.openFolders))
    }

    /// Parses the text of a configuration file.
    ///
    /// - Parameters:
    ///   - yaml: the text.
    ///   - exposure: of the file that it came from. No secret may stand in one that others can read.
    /// - Returns: the configuration, with warnings if there are any.
    /// - Throws: ``SettingsProblems`` with everything that is wrong.
    package func parse(yaml: String, exposure: FileExposure = []) throws(SettingsProblems) -> Settings {
        try read(
            yaml, from: ConfigurationFile(path: "this file", exposure: exposure, openFolders: []), as: Settings.read)
    }

    private func read<Value>(
        _ yaml: String, from origin: ConfigurationFile, as read: (Entry) -> Value?
    ) throws(SettingsProblems) -> Value {
        let reader = Reader(loader: self, file: origin)
        let value = Document.compose(yaml, reader: reader).flatMap(read)
        guard let value, reader.problems.isEmpty else { throw SettingsProblems(reader.problems) }
        return value
    }
}

/// Where a configuration was read from.
struct ConfigurationFile {
    let path: String
    let exposure: FileExposure
    let openFolders: [String]
}
