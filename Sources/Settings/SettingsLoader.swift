package import OperatingSystem

/// Reads the configuration file and the secrets that it refers to.
///
/// It reads the environment and files only through the values that it was created with.
package struct SettingsLoader: Sendable {
    package typealias ReadFile = @Sendable (_ path: String) throws(SettingsFileError) -> SettingsFile

    let environment: [String: String]
    let allowances: Settings.Allowances
    let readFile: ReadFile

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - environment: The variables for `env:NAME` and `GOOGLE_APPLICATION_CREDENTIALS`.
    ///   - allowances: The risks that the operator accepts.
    ///   - readFile: Returns the file at a path. A relative path starts at the working directory.
    package init(
        environment: [String: String], allowances: Settings.Allowances = .none,
        readFile: @escaping ReadFile = SettingsFile.onDisk
    ) {
        self.environment = environment
        self.allowances = allowances
        self.readFile = readFile
    }

    package func load(path: String) throws(SettingsProblems) -> Settings {
        try load(path: path) { Settings.read(Section($0, keys: Settings.names)) }
    }

    /// Reads a file other than the server's configuration, with the same rules.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - read: Reads the root of the file and reports its problems. Returns `nil` if it cannot make a value.
    /// - Returns: The value that `read` returned.
    /// - Throws: ``SettingsProblems`` with everything that is wrong.
    package func load<Value>(path: String, as read: (Entry) -> Value?) throws(SettingsProblems) -> Value {
        let (yaml, origin) = try text(at: path)
        return try self.read(yaml, from: origin, as: read)
    }

    private func text(at path: String) throws(SettingsProblems) -> (yaml: String, origin: ConfigurationFile) {
        do throws(SettingsFileError) {
            let file = try readFile(path)
            return (
                try file.text(),
                ConfigurationFile(path: path, exposure: file.exposure, openFolders: file.openFolders)
            )
        } catch {
            throw SettingsProblems([
                SettingsProblem(line: nil, key: "", message: "\(PathText.of(path)) \(error.message)")
            ])
        }
    }

    /// Parses the text of a configuration file.
    ///
    /// - Parameters:
    ///   - yaml: The text.
    ///   - exposure: The permissions of its file. A file that other users can read must not contain a secret.
    /// - Returns: The configuration, including its warnings.
    /// - Throws: ``SettingsProblems`` with everything that is wrong.
    package func parse(yaml: String, exposure: FileExposure = []) throws(SettingsProblems) -> Settings {
        try read(yaml, from: ConfigurationFile(path: "this file", exposure: exposure, openFolders: [])) {
            Settings.read(Section($0, keys: Settings.names))
        }
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

/// The origin of a configuration.
struct ConfigurationFile {
    let path: String
    let exposure: FileExposure
    let openFolders: [String]
}
