internal import OperatingSystem

/// A secret that does not print itself: not by interpolation, `print`, `dump` or a debugger's summary.
package struct SecretValue: Sendable {
    /// Where a secret was found.
    package enum Source: Sendable, Equatable {
        case environment(variable: String)
        case file(path: String)
        /// In the configuration file itself.
        case clear
    }

    /// The secret itself.
    ///
    /// Whoever reads it answers for where it goes.
    package let secretText: String
    package let source: Source
}

extension SecretValue: Equatable {
    /// Compares in a time that depends on the lengths alone.
    package static func == (one: Self, other: Self) -> Bool {
        let (ours, theirs) = (Array(one.secretText.utf8), Array(other.secretText.utf8))
        guard ours.count == theirs.count, one.source == other.source else { return false }
        return zip(ours, theirs).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension SecretValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Entry {
    /// A secret: `env:NAME`, `file:/path`, or in clear, which is a warning.
    package func secret() -> SecretValue? {
        guard let written = text(), let secret = follow(written) else { return nil }
        if secret.source == .clear { judgeClearSecret() }
        guard !Placeholder.matches(secret.secretText) else {
            return refusing("is a placeholder: put the real secret there")
        }
        return secret
    }

    /// A text that is no secret, such as a client id, but may be kept beside one: `env:` and `file:` are followed.
    func identifier() -> String? {
        guard let written = text(), let value = follow(written, isSecret: false)?.secretText else { return nil }
        guard !Placeholder.matches(value) else { return refusing("is a placeholder: put the real value there") }
        // RFC 6749 appendix A.1: client-id = *VSCHAR
        guard value.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) }) else {
            return refusing("holds something else than printable ASCII")
        }
        return value
    }

    /// What `env:` or `file:` leads to, or the text itself.
    ///
    /// A file is refused if others can write it, and one with a secret also if they can read it. What stands in clear
    /// is judged by the caller.
    func follow(_ written: String, isSecret: Bool = true) -> SecretValue? {
        if written.hasPrefix("env:") {
            return environmentValue(of: String(written.dropFirst("env:".count)))
        }
        if written.hasPrefix("file:") {
            let path = String(written.dropFirst("file:".count))
            guard path.hasPrefix("/") else { return refusing("write an absolute path after file:, as in file:/path") }
            return fileContent(at: path, isSecret: isSecret)
        }
        return SecretValue(secretText: written, source: .clear)
    }

    private func environmentValue(of variable: String) -> SecretValue? {
        // POSIX.1-2017 8.1: names of environment variables are upper-case letters, digits and underscores. Anything
        // else is not repeated, since it might be the secret itself.
        let isName = variable.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
        guard !variable.isEmpty else { return refusing("write the name of a variable after env:") }
        guard let value = reader.loader.environment[variable] else {
            return refusing("the variable \(isName ? variable : "that is named") is not set")
        }
        return content(value, of: "the variable \(isName ? variable : "that is named")").map {
            SecretValue(secretText: $0, source: .environment(variable: variable))
        }
    }

    /// The text of a file that holds a secret and nothing else.
    func fileContent(at path: String, isSecret: Bool) -> SecretValue? {
        guard let file = secretFile(at: path, isSecret: isSecret) else { return nil }
        return content(file, of: "the file \(path)").map { SecretValue(secretText: $0, source: .file(path: path)) }
    }

    /// The whole text of a file, whose mode and owner are judged.
    ///
    /// Others may read one that holds no secret, but not write it.
    func secretFile(at path: String, isSecret: Bool = true) -> String? {
        let file: SettingsFile
        do {
            file = try reader.loader.readFile(path)
        } catch {
            return refusing("the file \(path) \(error.message)")
        }
        let content = isSecret ? FileContent.secret : .configuration
        if let objection = content.objection(to: file.exposure) {
            reader.judgePermissions("the file \(path) \(objection)", line: line, key: key)
        }
        reader.name(file.openFolders, line: line, key: key)
        return file.text ?? refusing("the file \(path) is not UTF-8")
    }

    private func content(_ text: String, of origin: String) -> String? {
        // Editors and `echo` end a file with a line break, which is not part of the secret.
        let value = text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard !value.isEmpty else { return refusing("\(origin) is empty") }
        guard !value.containsControlCharacters, value.first?.isWhitespace == false, value.last?.isWhitespace == false
        else { return refusing("\(origin) holds a line break, a control character, or a blank at an end") }
        return value
    }

    func judgeClearSecret() {
        if reader.file.exposure.contains(.readable) {
            reader.judgePermissions(
                "stands here in clear, and others can read this file: chmod 600 it, or write env:NAME or file:/path",
                line: line, key: key)
        } else {
            warn("stands here in clear: write env:NAME or file:/path")
        }
    }
}

/// What documentation and templates write where a secret belongs.
enum Placeholder {
    private static let words: Set<String> = [
        "changeit", "changeme", "changethis", "clientid", "clientsecret", "consumerkey", "consumersecret", "default",
        "dummy", "example", "examplesecret", "fixme", "insertsecret", "mysecret", "none", "null", "password",
        "placeholder", "replaceme", "replacethis", "sample", "secret", "tbd", "todo", "undefined",
    ]

    static func matches(_ text: String) -> Bool {
        let lowered = text.lowercased()
        let letters = lowered.filter { $0.isLetter || $0.isNumber }
        return Set(letters).count <= 1
            || words.contains(letters)
            || letters.hasPrefix("changeme")
            || lowered.hasPrefix("your-") || lowered.hasPrefix("your_") || lowered.hasPrefix("your ")
            || lowered.hasSuffix("...") || lowered.hasSuffix("…")
            || lowered.hasPrefix("<") && lowered.hasSuffix(">")
            || lowered.hasPrefix("${") || lowered.hasPrefix("{{")
    }

    /// Whether a key is nothing that a random generator makes: 32 random bytes have fewer than 8 different values
    /// about once in 10^50, and are never a count from 0 upwards.
    static func matches(key: [UInt8]) -> Bool {
        Set(key).count < 8 || zip(key, key.dropFirst()).allSatisfy { $0.1 == $0.0 &+ 1 }
    }
}
