internal import Jansson
internal import OperatingSystem
package import Standards

/// A secret that interpolation, `print`, `dump` and debugger summaries do not show.
package struct SecretValue: Sendable {
    package enum Source: Sendable, Equatable {
        case environment(variable: String)
        case file(path: String)
        case cloudSecret(CloudSecretName)
        /// The configuration itself, in plain text.
        case clear
    }

    package let secret: Secret
    package let source: Source

    /// The secret itself.
    ///
    /// The code that reads it must not pass it to logs or messages.
    package var secretText: String { secret.secretText }

    init(secretText: String, source: Source) {
        secret = Secret(secretText)
        self.source = source
    }

    /// The value of a required key that was not read.
    static let unread = SecretValue(secretText: "", source: .clear)
}

extension SecretValue: Equatable {
    /// Compares in a time that depends only on the lengths.
    package static func == (one: Self, other: Self) -> Bool {
        one.secret.matches(other.secret) && one.source == other.source
    }
}

extension SecretValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretValue.Source {
    /// The text that `config check` prints instead of a secret.
    var elided: String {
        switch self {
        case .environment(let variable): "[secret elided] from env:\(variable)"
        case .file(let path): "[secret elided] from file:\(path)"
        case .cloudSecret(let name): "[secret elided] from \(name)"
        case .clear: "[secret elided] in plain text"
        }
    }
}

extension Entry {
    /// Reads a secret: `env:NAME`, `file:/path`, `gcp-secret:NAME`, or plain text, which causes a warning.
    package func secret() -> SecretValue? {
        guard let written = value(), let secret = follow(written) else { return nil }
        if secret.source == .clear { judgeClearSecret() }
        guard !Placeholder.matches(secret.secretText) else {
            return refusing(
                "is a placeholder, or cannot be told from one: write the real secret, env:NAME for that of a variable, or make "
                    + "another one")
        }
        return secret
    }

    /// Reads a text or a reference, which is not the name of a file.
    private func value() -> String? {
        guard let written = text() else { return nil }
        guard written.hasPrefix("/"), let reference = written.reference else { return written }
        return refusing("is the name of a file: write \(reference)")
    }

    /// Reads a text that is not secret but may be stored like a secret, such as a client id: resolves references.
    func identifier() -> String? {
        guard let written = value(), let value = follow(written, isSecret: false)?.secretText else { return nil }
        // Some providers number their clients from 1.
        guard value.consists(of: .digits) || !Placeholder.matches(value) else {
            return refusing(
                "is a placeholder, or cannot be told from one: write the real value, env:NAME for that of a variable, or "
                    + "register another one")
        }
        // RFC 6749 appendix A.1: client-id = *VSCHAR
        guard value.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) }) else {
            return refusing("contains characters other than printable ASCII: leave them out")
        }
        return value
    }

    /// Resolves `env:`, `file:` and `gcp-secret:`, or returns the text itself.
    ///
    /// A file is refused if others can write it; a file with a secret is also refused if they can read it. The caller
    /// checks plain text.
    func follow(_ written: String, isSecret: Bool = true) -> SecretValue? {
        if written.hasPrefix("env:") {
            return environmentValue(of: String(written.dropFirst("env:".count)))
        }
        if written.hasPrefix("file:") {
            return unquoted(String(written.dropFirst("file:".count)))
                .flatMap { absolute($0, "write an absolute path after file:, as in file:/path") }
                .flatMap { fileContent(at: $0, isSecret: isSecret) }
        }
        if written.hasPrefix(CloudSecretName.prefix) {
            return cloudSecret(written).flatMap { secret in
                content(secret.text, of: secret.origin).map { SecretValue(secretText: $0, source: secret.source) }
            }
        }
        guard !written.hasEscapedLineBreak else { return refusing(String.escapedLineBreak) }
        if let prefix = ["env:", "file:", CloudSecretName.prefix].first(where: written.lowercased().hasPrefix) {
            return refusing("begins with \(prefix) in another case: write \(prefix)")
        }
        if let objection = written.secretObjection { return refusing(objection) }
        return SecretValue(secretText: written, source: .clear)
    }

    private func environmentValue(of variable: String) -> SecretValue? {
        environmentText(of: variable).flatMap { content($0.text, of: $0.origin) }.map {
            SecretValue(secretText: $0, source: .environment(variable: variable))
        }
    }

    /// The whole text of a variable, and the words that name the variable in messages.
    func environmentText(of variable: String) -> (text: String, origin: String)? {
        // POSIX.1-2017 8.1: names of environment variables are upper-case letters, digits and underscores. Messages
        // contain no other names, because such a text could be the secret itself.
        let isName = variable.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
        guard !variable.isEmpty else { return refusing("write the name of a variable after env:") }
        let origin = "the variable \(isName ? variable : "named here")"
        guard let value = reader.loader.environment[variable] else {
            guard !variable.contains(",") else {
                return refusing("write one name of a variable after env:, as in [env:ONE, env:OTHER] if this is a list")
            }
            return refusing(
                variable.contains { "${}()[]'\"/:# ".contains($0) }
                    ? "write only the name of the variable after env:, which has letters, digits and underscores"
                    : "\(origin) is not set for this process (sudo, systemd and Docker pass none on): set it there, or write "
                        + "another value")
        }
        // A variable whose value is the content of a file begins like the file.
        return (value.unicodeScalars.first == "\u{FEFF}" ? String(value.unicodeScalars.dropFirst()) : value, origin)
    }

    /// The text of a file that contains only a secret.
    func fileContent(at path: String, isSecret: Bool) -> SecretValue? {
        guard let file = secretFile(at: path, isSecret: isSecret) else { return nil }
        return content(file, of: "the file \(path)").map { SecretValue(secretText: $0, source: .file(path: path)) }
    }

    /// The whole text of a file, after a check of its mode and owner.
    ///
    /// Other users may read a file without a secret, but not write it.
    ///
    /// - Parameter adviceOnBinary: What to say of a binary file that has a key or a certificate; `nil` to say how to write it in
    ///   PEM.
    func secretFile(at path: String, isSecret: Bool = true, adviceOnBinary: String? = nil) -> String? {
        let (file, text): (SettingsFile, String)
        do throws(SettingsFileError) {
            file = try reader.loader.readFile(path)
            text = try file.text()
        } catch {
            let message = error == .der ? adviceOnBinary ?? error.message : error.message
            return refusing("the file \(PathText.of(path)) \(message)")
        }
        let content = isSecret ? FileContent.secret : .configuration
        if let objection = content.objection(to: file.exposure, at: path) {
            reader.judgePermissions("the file \(path) \(objection)", line: line, key: key)
        }
        reader.name(file.openFolders, line: line, key: key)
        return text
    }

    private func content(_ text: String, of origin: String) -> String? {
        // Editors and `echo` append a line break, which is not part of the secret.
        let value = text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard !value.isEmpty else { return refusing("\(origin) is empty: write the value there") }
        // Files of variables for containers are not read by a shell, which would remove them.
        if value.utf8.count >= 2, let quote = value.first, "\"'".contains(quote), value.last == quote {
            return refusing("\(origin) is in quotation marks, which are not part of the value: remove them")
        }
        if let reference = value.reference {
            return refusing(
                "\(origin) contains the name of a file: write \(name): "
                    + (isElement ? "[\(reference)]" : reference) + " if that file has the value")
        }
        guard !["env:", CloudSecretName.prefix].contains(where: value.hasPrefix) else {
            return refusing("\(origin) contains a reference, which is not followed twice: write it as \(name)")
        }
        guard !value.hasEscapedLineBreak else { return refusing("\(origin) \(String.escapedLineBreak)") }
        guard value == text || value.last?.isNewline == false else {
            return refusing("\(origin) ends in more than one line break, of which one is left out: remove the others")
        }
        if let objection = value.secretObjection { return refusing("\(origin) \(objection)") }
        return value
    }

    func judgeClearSecret() {
        let exposure = reader.file.exposure
        if !exposure.isDisjoint(with: .readable) {
            let command = FileContent.secret.command(against: exposure, at: reader.file.path)
            reader.judgePermissions(
                "is in plain text, and other users can read this file: run \(command), or write env:NAME or file:/path",
                line: line, key: key)
        } else if reader.file.isVariable {
            // Platforms show the variables of a service to all users who may see the service.
            warn("is in plain text in a variable: write gcp-secret:NAME, or env:NAME of another variable")
        } else {
            warn("is in plain text: write env:NAME or file:/path")
        }
    }
}

extension String {
    /// What to write in the configuration, if the text is the path or the URL of a file; `nil` for every other text.
    ///
    /// Some programs take the path of a file in the same variable. A secret in base64 may begin with a slash, but practically
    /// never with the name of a folder in which secrets are stored.
    var reference: String? {
        if hasPrefix("file:") {
            return "file:/" + dropFirst("file:".count).drop { $0 == "/" }
        }
        let parts = split(separator: "/", omittingEmptySubsequences: false)
        return parts.count > 2 && parts[0].isEmpty && Self.folders.contains(parts[1]) ? "file:\(self)" : nil
    }

    private static let folders: Set<Substring> = [
        "app", "config", "data", "etc", "home", "mnt", "opt", "private", "root", "run", "secrets", "srv", "tmp", "usr",
        "var", "vault",
    ]

    /// Whether a command such as `echo` in another shell wrote a line break as two characters.
    fileprivate var hasEscapedLineBreak: Bool { hasSuffix("\\n") }

    fileprivate static let escapedLineBreak =
        #"ends in the two characters \n: store it without them (printf '%s' instead of echo)"#

    /// Why a text cannot be a secret, or the address of a server, although its characters are permitted; `nil` if it can.
    fileprivate var secretObjection: String? {
        if isForeignReference {
            return
                "is a reference that a platform or another program should have replaced by the value: correct it there, or "
                + "write the value itself"
        }
        if hasPrefix("{"), (try? JSON.parse(tolerantly: Array(utf8)))?.object != nil {
            return "is a JSON object: write only the value of its member there"
        }
        if contains("-----BEGIN ") {
            return
                "is in PEM (-----BEGIN), and must be a text of one line: name the right one. If it is Apple's key, write "
                + "client_secret: {apple: {key: …, key_id: …, team_id: …}}; if it is the key of token_endpoint_auth: "
                + "private_key_jwt, write client_key"
        }
        return objectionToCharacters(areFormatsRefused: true)
    }

    /// Whether the text is a reference of Azure, AWS, Kubernetes, sops, 1Password, Vault, vals, Caddy, Grafana or PowerShell.
    var isForeignReference: Bool {
        let text = lowercased()
        return [
            "@microsoft.keyvault(", "arn:aws", "op://", "vault:", "ref+", "sm://", "ssm:/", "$env:", "process.env.",
        ].contains(where: text.hasPrefix)
            || [
                ("$(", ")"), ("enc[", "]"), ("env[", "]"), ("{$", "}"), ("{env.", "}"), ("{env:", "}"), ("$__", "}"),
                ("file(", ")"),
            ].contains { text.hasPrefix($0) && text.hasSuffix($1) }
    }
}

/// Recognizes placeholders for secrets, as in documentation and templates.
enum Placeholder {
    private static let words: Set<String> = [
        "changeit", "changeme", "changethis", "clientid", "clientsecret", "consumerkey", "consumersecret", "default",
        "dummy", "example", "examplesecret", "fixme", "hidden", "insertsecret", "masked", "mysecret", "none", "null",
        "password", "placeholder", "redacted", "replaceme", "replacethis", "sample", "secret", "secretelided",
        "sensitive", "sensitivevalue", "tbd", "todo", "undefined",
    ]

    static func matches(_ text: String) -> Bool {
        let letters = text.lowercased().filter { $0.isLetter || $0.isNumber }
        return Set(letters).count <= 1 || words.contains(letters) || letters.hasPrefix("changeme") || isTemplate(text)
    }

    /// Whether a text has the form of a placeholder, so that it is none of the weak passwords that databases have.
    static func isTemplate(_ text: String) -> Bool {
        // Supabase writes [YOUR-PASSWORD] into its connection strings.
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let lowered = (isBracketed ? String(text.dropFirst().dropLast()) : text).lowercased()
        return lowered.hasPrefix("your-") || lowered.hasPrefix("your_") || lowered.hasPrefix("your ")
            || lowered.hasSuffix("...") || lowered.hasSuffix("…")
            || lowered.hasPrefix("<") && lowered.hasSuffix(">")
            || lowered.hasPrefix("${") || lowered.hasPrefix("{{") || isVariable(text)
    }

    /// Whether a text is a variable of a shell without braces, or one of Windows, whose names are in upper case by
    /// convention: no random secret has this form.
    private static func isVariable(_ text: String) -> Bool {
        let isWindows = text.hasPrefix("%") && text.hasSuffix("%")
        guard isWindows || text.hasPrefix("$") else { return false }
        let name = isWindows ? text.dropFirst().dropLast() : text.dropFirst()
        return name.first.map { ("A"..."Z").contains($0) } == true
            && name.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }

    /// Whether a key is obviously not random.
    ///
    /// 32 random bytes have fewer than 8 different values about once in 10^50 cases, and practically never count upwards.
    static func matches(key: [UInt8]) -> Bool {
        Set(key).count < 8 || zip(key, key.dropFirst()).allSatisfy { $0.1 == $0.0 &+ 1 }
    }
}
