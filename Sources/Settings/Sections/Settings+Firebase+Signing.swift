extension Settings.Firebase {
    private static let credentialsVariable = "GOOGLE_APPLICATION_CREDENTIALS"
    private static let emulatorVariable = "FIREBASE_AUTH_EMULATOR_HOST"

    /// Reads what signs.
    ///
    /// The emulator is chosen by the file alone and excludes every key, wherever the key is named.
    static func readSigning(_ section: Section, server: Settings.Server?) -> Signing? {
        if section.reader.loader.environment[emulatorVariable] != nil {
            section.warn(
                "emulator_host", "the variable \(emulatorVariable) is ignored: the emulator is chosen by this key alone"
            )
        }
        if let emulator = section["emulator_host"] {
            return readEmulator(emulator, section, server: server)
        }
        let files: [Settings.ServiceAccountFile]?
        if let entry = section["service_account"] {
            files = entry.oneOrMore { $0.serviceAccountPath() }?.compactMap(\.file)
        } else if let path = credentialsPath(section) {
            let entry = Entry.elsewhere(key: "firebase.service_account", reader: section.reader)
            files = ServiceAccountPath(path: path, entry: entry).file.map { [$0] }
        } else {
            section.refuse(
                "service_account",
                "is missing: write the path of the service account's JSON file, or set \(credentialsVariable)")
            files = nil
        }
        return files.flatMap { $0.isEmpty ? nil : .serviceAccounts($0) }
    }

    /// A variable that is set to nothing counts as one that is not set.
    private static func credentialsPath(_ section: Section) -> String? {
        section.reader.loader.environment[credentialsVariable].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func readEmulator(_ entry: Entry, _ section: Section, server: Settings.Server?) -> Signing? {
        if section["service_account"] != nil {
            entry.refuse(
                "cannot stand together with service_account: the emulator takes unsigned tokens, production never")
        } else if credentialsPath(section) != nil {
            entry.refuse("cannot be used while \(credentialsVariable) is set: it names a service account. Unset it")
        }
        if let server, !server.isLoopback {
            entry.refuse("needs server.public_url and server.listen to be loopback: its tokens are unsigned")
        }
        guard let text = entry.text() else { return nil }
        guard let address = ListenAddress.parse(text), address.isLoopback, address.port != 0 else {
            return entry.refusing("write a loopback address and a port, such as 127.0.0.1:9099")
        }
        return .emulator(host: text)
    }
}

/// A path that is compared before the file is read, so that no file is read twice.
private struct ServiceAccountPath: Equatable {
    let path: String
    let entry: Entry

    static func == (one: Self, other: Self) -> Bool { one.path == other.path }

    var file: Settings.ServiceAccountFile? {
        guard let json = entry.secretFile(at: path) else { return nil }
        guard json.contains(where: { !$0.isWhitespace }) else { return entry.refusing("the file \(path) is empty") }
        return Settings.ServiceAccountFile(
            path: path, json: SecretValue(secretText: json, source: .file(path: path)))
    }
}

extension Entry {
    fileprivate func serviceAccountPath() -> ServiceAccountPath? {
        guard let text = text() else { return nil }
        // A key that was pasted in place of its file's path.
        guard !text.contains("{"), !text.hasPrefix("env:"), !text.contains("-----BEGIN") else {
            return refusing("write the path of the service account's JSON file")
        }
        let path = text.hasPrefix("file:") ? String(text.dropFirst("file:".count)) : text
        return ServiceAccountPath(path: path, entry: self)
    }
}
