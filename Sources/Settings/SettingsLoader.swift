package import OperatingSystem

/// Reads the configuration and the secrets that it refers to.
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
    ///   - readFile: Returns the file at a path. A relative path starts at the working directory.
    package init(
        environment: [String: String], allowances: Settings.Allowances = .none,
        readFile: @escaping ReadFile = SettingsFile.onDisk
    ) {
        self.environment = environment
        self.allowances = allowances
        self.readFile = readFile
    }

    /// Reads secrets from Secret Manager.
    ///
    /// Its parameters are the names, each without a reading so far, and the configuration without the values of these
    /// secrets, which says how Google is called. It returns a reading for each name.
    package typealias ReadSecrets =
        @Sendable (_ names: Set<CloudSecretName>, _ incomplete: Settings) async -> [CloudSecretName: CloudSecretReading]

    /// Reads the configuration of the server.
    ///
    /// - Parameter readSecrets: Reads the secrets that are in Secret Manager. It is not called if the configuration
    ///   refers to none.
    /// - Returns: The configuration, including its warnings.
    /// - Throws: ``SettingsProblems`` with everything that is wrong. What is wrong with the calls to Google is reported
    ///   first, because no secret can be read with it.
    package func load(
        _ source: ConfigurationSource, readSecrets: ReadSecrets
    ) async throws(SettingsProblems) -> Settings {
        let (yaml, origin) = try text(of: source)
        var readings: [CloudSecretName: CloudSecretReading] = [:]
        while true {
            let attempt = try attempt(yaml, origin, readings)
            guard !attempt.awaited.isEmpty else { return try attempt.result(with: readings) }
            let ofCalls = attempt.problems.filter { $0.isOfCalls }
            guard ofCalls.isEmpty else { throw SettingsProblems(ofCalls) }
            let names = Set(attempt.awaited.keys)
            let read = await readSecrets(names, attempt.settings)
            // A value that was read can lead to keys that were not read before. A name is never asked for twice.
            readings.merge(names.map { ($0, read[$0] ?? .failed("was not read")) }) { first, _ in first }
        }
    }

    /// Reads the configuration of the server without the secrets that are in Secret Manager.
    ///
    /// - Returns: The configuration, in which the keys of these secrets have no value, and the names of the secrets.
    /// - Throws: ``SettingsProblems`` with everything else that is wrong.
    package func loadOffline(
        _ source: ConfigurationSource
    ) throws(SettingsProblems) -> (settings: Settings, unread: [CloudSecretName]) {
        let (yaml, origin) = try text(of: source)
        let attempt = try attempt(yaml, origin, [:])
        guard attempt.problems.isEmpty else { throw SettingsProblems(attempt.problems) }
        return (attempt.settings, attempt.awaited.keys.sorted { $0.description < $1.description })
    }

    private func attempt(
        _ yaml: String, _ origin: ConfigurationFile, _ readings: [CloudSecretName: CloudSecretReading]
    ) throws(SettingsProblems) -> Attempt {
        let reader = Reader(loader: self, file: origin, cloudSecrets: readings)
        guard
            let settings = Document.compose(yaml, reader: reader).map({
                Settings.read(Section($0, keys: Settings.names))
            })
        else { throw SettingsProblems(reader.problems) }
        return Attempt(settings: settings, problems: reader.problems, awaited: reader.awaited)
    }

    /// A configuration for which some secrets may still have to be read.
    private struct Attempt {
        let settings: Settings
        let problems: [SettingsProblem]
        let awaited: [CloudSecretName: [SettingsProblem]]

        func result(
            with readings: [CloudSecretName: CloudSecretReading]
        ) throws(SettingsProblems) -> Settings {
            guard problems.isEmpty else { throw SettingsProblems(problems) }
            var settings = settings
            settings.secretVersions = readings.compactMapValues { reading in
                if case .payload(_, let version) = reading { version } else { nil }
            }
            return settings
        }
    }

    /// Reads a file other than the server's configuration, with the same rules.
    ///
    /// - Parameter read: Reads the root of the file and reports its problems. Returns `nil` if it cannot make a value.
    /// - Throws: ``SettingsProblems`` with everything that is wrong.
    package func load<Value>(path: String, as read: (Entry) -> Value?) throws(SettingsProblems) -> Value {
        let (yaml, origin) = try text(at: path)
        return try self.read(yaml, from: origin, as: read)
    }

    private func text(
        of source: ConfigurationSource
    ) throws(SettingsProblems) -> (yaml: String, origin: ConfigurationFile) {
        switch source {
        case .file(let path): return try text(at: path)
        case .variable(let name):
            let value = environment[name] ?? ""
            let yaml = value.unicodeScalars.first == "\u{FEFF}" ? String(value.unicodeScalars.dropFirst()) : value
            if let damage = ConfigurationSource.damage(of: yaml) {
                throw SettingsProblems([SettingsProblem(line: nil, key: "", message: damage)])
            }
            return (yaml, ConfigurationFile(path: name, exposure: [], openFolders: [], isVariable: true))
        }
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
    /// - Parameter exposure: The permissions of its file. A file that other users can read must not contain a secret.
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
    var isVariable = false
}

/// The place of the server's configuration.
package enum ConfigurationSource: Sendable, Equatable {
    case file(path: String)
    /// A variable of the environment whose value is the YAML text itself.
    case variable(name: String)

    /// What is wrong with a text that should be a configuration and is in a variable; `nil` if YAML's parser has to say it.
    fileprivate static func damage(of text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline).filter { $0.contains { !$0.isWhitespace } }
        guard let first = lines.first else {
            return "is empty: write the configuration as YAML into the variable, or unset it"
        }
        guard lines.count == 1, !first.contains("{") else { return nil }
        if first.hasPrefix("/") || first.hasSuffix(".yaml") || first.hasSuffix(".yml") {
            return "contains the path of a file: write the content of the file there, or --config and the path"
        }
        if first.contains("\\n") {
            return #"has the two characters \n instead of line breaks: write a line break for each"#
        }
        return first.contains(":")
            ? nil
            : "is one line without a colon, and must be YAML with keys: write the content of a configuration file there. If "
                + "it is base64, decode it"
    }
}

extension ConfigurationSource: CustomStringConvertible {
    package var description: String {
        switch self {
        case .file(let path): path
        case .variable(let name): name
        }
    }
}

extension SettingsProblem {
    /// Whether it concerns what the calls to Google depend on: the file as a whole, the signer and the outbound proxy.
    fileprivate var isOfCalls: Bool {
        key.isEmpty || ["firebase", "server"].contains { key == $0 || key.hasPrefix($0 + ".") }
    }
}
