internal import JOSE

extension Settings.Firebase {
    private static let credentialsVariable = "GOOGLE_APPLICATION_CREDENTIALS"
    private static let emulatorVariable = "FIREBASE_AUTH_EMULATOR_HOST"

    /// The values of `signer`.
    private enum Signer: String, CaseIterable {
        case serviceAccount = "service_account"
        case iam
        case process
    }

    /// The keys that together say which signer there is.
    static let signingKeys: [Key<Self>] = [
        .shared("service_account") {
            if case .serviceAccounts(let files) = $0.signing { files.map(\.path).inList } else { nil }
        },
        .shared("emulator_host") {
            if case .emulator(let host) = $0.signing { "\(host) (tokens are unsigned)" } else { nil }
        },
        .shared("signer") {
            switch $0.signing {
            case .process: Signer.process.rawValue
            case .iam: Signer.iam.rawValue
            case .serviceAccounts, .emulator: nil
            }
        },
        .shared("signer_socket") { if case .process(let socket) = $0.signing { socket } else { nil } },
        .shared("google_credentials") {
            if case .iam(_, let credentials) = $0.signing { credentials?.path } else { nil }
        },
        .shared("iam_service_account") {
            guard case .iam(let account, let credentials) = $0.signing else { return nil }
            return account ?? (credentials == nil ? "from the metadata server" : "from the credentials")
        },
    ]

    /// Reads the signer.
    ///
    /// Only the file selects the emulator, and the emulator excludes every key, in the file and in the environment.
    func readSigning(_ section: Section) -> Signing? {
        if section.reader.loader.environment[Self.emulatorVariable] != nil {
            section.warn(
                "emulator_host", "the variable \(Self.emulatorVariable) is ignored: only this key selects the emulator"
            )
        }
        let signer =
            section["signer"].map { $0.choice(Signer.self) } ?? (section.isRefused("signer") ? nil : .serviceAccount)
        if let signer, signer != .iam {
            for key in ["iam_service_account", "google_credentials"] {
                section[key]?.refuse(
                    "has an effect only with signer: iam: write that with project_id, and without service_account and emulator_host, "
                        + "or leave this key out")
            }
        }
        if let signer, signer != .process {
            section["signer_socket"]?.refuse(
                "has an effect only with signer: process: write that with project_id, and without service_account and "
                    + "emulator_host, or leave this key out")
        }
        if let emulator = section["emulator_host"] {
            if let signer, signer != .serviceAccount {
                emulator.refuse("cannot be combined with signer: \(signer.rawValue): leave out one of the two")
            }
            return Self.readEmulator(emulator, section)
        }
        guard !section.isRefused("emulator_host") else { return nil }
        switch signer {
        case .serviceAccount: return Self.readServiceAccounts(section)
        case .iam: return Self.readIAM(section)
        case .process: return Self.readProcess(section)
        case nil: return nil
        }
    }

    private static func readProcess(_ section: Section) -> Signing? {
        section["service_account"]?.refuse(
            "is never read with signer: process: name the file in the configuration of the signer, and make it "
                + "unreadable for this user")
        if credentialsPath(section) != nil {
            section.warn(
                "signer", "the variable \(credentialsVariable) is ignored: with signer: process no key is read")
        }
        guard let entry = section["signer_socket"] else { return .process(socket: standardSocket) }
        return entry.socketPath().map { .process(socket: $0) }
    }

    /// The socket of the signer's unit.
    private static let standardSocket = "/run/token-exchange-signer/socket"

    private static func readIAM(_ section: Section) -> Signing? {
        section["service_account"]?.refuse("is never read with signer: iam: leave out one of the two")
        if credentialsPath(section) != nil {
            section.warn("signer", "the variable \(credentialsVariable) is ignored: with signer: iam no key is read")
        }
        let credentials = section["google_credentials"].map { $0.credentialsFile() }
        let email = section["iam_service_account"].map { $0.serviceAccountEmail() }
        // A refused value is not an absent one.
        guard credentials != .some(nil), email != .some(nil) else { return nil }
        return .iam(serviceAccount: email ?? nil, credentials: credentials ?? nil)
    }

    private static func readServiceAccounts(_ section: Section) -> Signing? {
        let files: [Settings.CredentialsFile]?
        if let entry = section["service_account"] {
            guard entry.peek("private_key") == nil, entry.peek("client_email") == nil else {
                return entry.refusing(
                    "is a section, and must be one text: write the path of the service account's JSON file, or env:NAME with its "
                        + "whole content, and not its members")
            }
            files = entry.oneOrMore { $0.credentialsSource() }?.compactMap { $0.credentials() }
        } else if let path = credentialsPath(section) {
            let entry = Entry.elsewhere(key: "firebase.service_account", reader: section.reader)
            guard !CredentialsText.contains(path) else {
                return entry.refusing(
                    "the variable \(credentialsVariable) contains credentials, and must be the path of their file: if "
                        + "they are those of a service account with a key, write service_account: "
                        + "env:\(credentialsVariable)")
            }
            // The configuration does not have this path.
            let named = Entry.elsewhere(
                key: "firebase.service_account (the variable \(credentialsVariable))", reader: section.reader)
            files = entry.unquoted(path, from: "the variable \(credentialsVariable)")
                .flatMap { CredentialsSource(name: $0, entry: named).credentials() }.map { [$0] }
        } else {
            section.refuse(
                "service_account",
                "is missing: write the path of the service account's JSON file or env:NAME, or set "
                    + "\(credentialsVariable). For the Firebase emulator write emulator_host in its place")
            files = nil
        }
        return files.flatMap { $0.isEmpty ? nil : .serviceAccounts($0) }
    }

    /// The path in the variable; an empty variable counts as unset.
    private static func credentialsPath(_ section: Section) -> String? {
        section.reader.loader.environment[credentialsVariable].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func readEmulator(_ entry: Entry, _ section: Section) -> Signing? {
        guard let text = entry.text() else { return nil }
        guard let address = ListenAddress.parse(text), address.isLoopback, address.port != 0 else {
            return entry.refusing("write a loopback address and a port, such as 127.0.0.1:9099")
        }
        if section["service_account"] != nil {
            entry.refuse(
                "cannot be combined with service_account, because tokens of the emulator are unsigned: leave out one of the two"
            )
        } else if credentialsPath(section) != nil {
            entry.refuse("cannot be used while \(credentialsVariable) is set, which names a service account: unset it")
        }
        return .emulator(host: text)
    }
}

/// A path or a reference that is compared before it is read, so that none is read twice.
private struct CredentialsSource: Equatable {
    /// The path, or the reference with `env:` or `gcp-secret:`.
    let name: String
    let entry: Entry

    static func == (one: Self, other: Self) -> Bool { one.name == other.name }

    func credentials(isSecret: Bool = true) -> Settings.CredentialsFile? {
        if name.hasPrefix("env:") { return entry.credentials(inVariable: String(name.dropFirst("env:".count))) }
        if name.hasPrefix(CloudSecretName.prefix) { return entry.credentials(inSecret: name) }
        guard !["~", "$"].contains(name.prefix(1)) else {
            return entry.refusing(
                "write the path of the JSON file, or env:NAME for a variable with its content; ~ and variables such as $HOME are "
                    + "not replaced here")
        }
        let binary = "is no JSON file, but a key in PKCS#12 or DER: add a key of the type JSON in Google's console"
        guard let json = entry.secretFile(at: name, isSecret: isSecret, adviceOnBinary: isSecret ? binary : nil) else {
            return nil
        }
        guard json.contains(where: { !$0.isWhitespace }) else { return entry.refusing("the file \(name) is empty") }
        return Settings.CredentialsFile(path: name, json)
    }
}

/// Credentials in a text: the JSON itself, or its base64 in either alphabet of RFC 4648, with or without padding, line breaks,
/// and the lines before and after it that `certutil -encode` writes.
private enum CredentialsText {
    static func contains(_ text: String) -> Bool { text.contains("{") || json(in: text) != nil }

    /// Returns the JSON; `nil` if the text is neither.
    static func json(in written: String) -> String? {
        let text = withoutMark(written)
        guard text.first(where: { !$0.isWhitespace }) != "{" else { return text }
        let content = text.replacing(/-----(BEGIN|END) [A-Z ]+-----/, with: "").filter { !$0.isWhitespace }
        return decoded(content).flatMap { $0.first { !$0.isWhitespace } == "{" ? $0 : nil }
    }

    /// The text of which this is the base64; `nil` if there is none.
    private static func decoded(_ content: String) -> String? {
        let alphabet = content.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        guard content.dropFirst(alphabet.count).count <= 2, let bytes = try? Base64URL.decode(String(alphabet)) else {
            return nil
        }
        return try? SettingsFile(bytes: bytes).text()
    }

    /// Leaves out the percent sign that zsh shows after an output without a line break, and that is copied with the output.
    ///
    /// Neither JSON nor base64 ends with one.
    private static func withoutMark(_ text: String) -> String {
        guard let end = text.lastIndex(where: { !$0.isWhitespace }), text[end] == "%" else { return text }
        return String(text[..<end])
    }

    /// What is wrong with a text that is neither, as the end of a sentence.
    static func damage(of text: String) -> String {
        let content = text.filter { !$0.isWhitespace }
        if content.isEmpty { return "is empty: write the value there" }
        if "\"'`".contains(content.prefix(1)) { return "is in quotation marks: remove them" }
        if content.hasSuffix(".json") || content.reference != nil {
            return "contains the name of a file: write that name here, in place of the reference"
        }
        if content.hasPrefix("-----BEGIN") || decoded(content)?.contains("-----BEGIN") == true {
            return
                "has -----BEGIN, as keys and certificates do, as it is or in base64: write the content of the whole JSON file there, "
                + "of which private_key is only one member"
        }
        return "is neither the JSON of the file nor its base64: write the output of base64 -w0 FILE there"
    }
}

extension Entry {
    /// Reads a service account's e-mail address, which becomes part of a URL path.
    fileprivate func serviceAccountEmail() -> String? {
        guard let text = text() else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isEmail =
            parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.consists(of: .lowerCaseAndDigits, or: "-.") }
        guard isEmail, text.utf8.count <= 256 else {
            return refusing("write the service account's e-mail address, such as name@project.iam.gserviceaccount.com")
        }
        return text
    }

    /// Reads credentials without a service account key.
    fileprivate func credentialsFile() -> Settings.CredentialsFile? {
        guard let source = credentialsSource(), let file = source.credentials(isSecret: false) else { return nil }
        // The file of workload identity federation contains no secret, and is usually readable by all users. That of a
        // developer contains the refresh token of a person.
        return file.content.secretText.contains("refresh_token") ? source.credentials() : file
    }

    /// Reads the path of a service account's file, and the file; or a reference to a variable or a secret, and its value.
    func serviceAccountFile() -> Settings.CredentialsFile? { credentialsSource()?.credentials() }

    fileprivate func credentialsSource() -> CredentialsSource? {
        guard let text = path() else { return nil }
        // Credentials were pasted instead of the path of their file.
        guard !CredentialsText.contains(text), !text.contains("-----BEGIN") else {
            return refusing("write the path of the JSON file, or env:NAME for a variable with its content")
        }
        let name = text.hasPrefix("file:") ? String(text.dropFirst("file:".count)) : text
        return CredentialsSource(name: name, entry: self)
    }

    fileprivate func credentials(inVariable name: String) -> Settings.CredentialsFile? {
        guard let (text, origin) = environmentText(of: name) else { return nil }
        guard let json = CredentialsText.json(in: text) else {
            return refusing("\(origin) \(CredentialsText.damage(of: text))")
        }
        return Settings.CredentialsFile(variable: name, json)
    }

    fileprivate func credentials(inSecret written: String) -> Settings.CredentialsFile? {
        guard let (text, origin, source) = cloudSecret(written), case .cloudSecret(let name) = source else {
            return nil
        }
        guard let json = CredentialsText.json(in: text) else {
            return refusing("\(origin) \(CredentialsText.damage(of: text))")
        }
        return Settings.CredentialsFile(name, json)
    }
}
