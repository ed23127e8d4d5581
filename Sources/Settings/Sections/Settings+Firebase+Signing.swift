extension Settings.Firebase {
    private static let credentialsVariable = "GOOGLE_APPLICATION_CREDENTIALS"
    private static let emulatorVariable = "FIREBASE_AUTH_EMULATOR_HOST"

    /// Words of `signer`.
    private enum Signer: String, CaseIterable {
        case serviceAccount = "service_account"
        case iam
    }

    /// Reads what signs.
    ///
    /// The emulator is chosen by the file alone and excludes every key, wherever the key is named.
    static func readSigning(_ section: Section, server: Settings.Server?) -> Signing? {
        if section.reader.loader.environment[emulatorVariable] != nil {
            section.warn(
                "emulator_host", "the variable \(emulatorVariable) is ignored: the emulator is chosen by this key alone"
            )
        }
        let signer = section["signer"].map { $0.choice(Signer.self) } ?? .serviceAccount
        if signer == .serviceAccount {
            section["iam_service_account"]?.refuse("is of signer: iam alone: write that, or leave this out")
        }
        if let emulator = section["emulator_host"] {
            if signer == .iam { emulator.refuse("cannot stand together with signer: iam: leave one of both out") }
            return readEmulator(emulator, section, server: server)
        }
        guard let signer else { return nil }
        return signer == .iam ? readIAM(section) : readServiceAccounts(section)
    }

    private static func readIAM(_ section: Section) -> Signing? {
        section["service_account"]?.refuse("is never read with signer: iam: leave one of both out")
        if credentialsPath(section) != nil {
            section.warn("signer", "the variable \(credentialsVariable) is ignored: with signer: iam no key is read")
        }
        guard let entry = section["iam_service_account"] else { return .iam(serviceAccount: nil) }
        return entry.serviceAccountEmail().map { .iam(serviceAccount: $0) }
    }

    private static func readServiceAccounts(_ section: Section) -> Signing? {
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
    /// A service account's name, which becomes part of a path.
    fileprivate func serviceAccountEmail() -> String? {
        guard let text = text() else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isEmail =
            parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "-.".utf8.contains(byte)
                    }
            }
        guard isEmail, text.utf8.count <= 256 else {
            return refusing("write the service account's e-mail address, such as name@project.iam.gserviceaccount.com")
        }
        return text
    }

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
