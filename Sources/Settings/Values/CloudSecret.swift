/// A version of a secret in Google's Secret Manager, as the configuration names it after `gcp-secret:`.
package struct CloudSecretName: Hashable, Sendable {
    static let prefix = "gcp-secret:"

    /// The id of the project; `nil` means that of the configuration or of the machine.
    package let project: String?
    package let secret: String
    /// The number of a version, an alias of one, or `latest`.
    package let version: String

    /// Reads `NAME`, `NAME/versions/VERSION` or `projects/PROJECT/secrets/NAME/versions/VERSION`.
    ///
    /// Returns `nil` for another text, and for a name that could be a key: it would be sent to Google and printed.
    package init?(_ text: String) {
        var parts = text.split(separator: "/" as Character, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 6, parts[0] == "projects", parts[2] == "secrets" {
            project = parts[1]
            parts.removeFirst(3)
        } else {
            project = nil
        }
        guard parts.count == 1 || parts.count == 3 && parts[1] == "versions" else { return nil }
        secret = parts[0]
        version = parts.count == 3 ? parts[2] : "latest"
        // The limits of Secret Manager: a secret has up to 255 letters, digits, hyphens and underscores, an alias up to 63.
        let idCharacters = "-_"
        guard (1...255).contains(secret.utf8.count), secret.consists(of: .lettersAndDigits, or: idCharacters),
            (1...63).contains(version.utf8.count), version.consists(of: .lettersAndDigits, or: idCharacters),
            !Self.couldBeKey(secret)
        else { return nil }
        if let project {
            // A segment of dots would lead out of the path.
            guard (1...64).contains(project.utf8.count), project.consists(of: .lettersAndDigits, or: "-.:"),
                project.utf8.first.map({ Set.lettersAndDigits.contains($0) }) == true
            else { return nil }
        }
    }

    /// Whether a text has the form of 32 random bytes in base64url.
    private static func couldBeKey(_ text: String) -> Bool {
        text.utf8.count == 43 && text.contains(where: \.isUppercase) && text.contains(where: \.isLowercase)
            && text.contains(where: \.isNumber)
    }
}

extension CloudSecretName: CustomStringConvertible {
    /// The reference as the configuration writes it, in its shortest form.
    package var description: String {
        let end = project == nil && version == "latest" ? "" : "/versions/\(version)"
        return Self.prefix + (project.map { "projects/\($0)/secrets/" } ?? "") + secret + end
    }
}

/// What Secret Manager answered for a version of a secret.
package enum CloudSecretReading: Sendable {
    /// The payload, and the name of the version with its number: `projects/my-project/secrets/seal-key/versions/7`.
    case payload(SettingsFile, version: String)
    /// Why it cannot be read, as the end of a sentence whose subject is the secret.
    case failed(String)
}

extension Entry {
    /// The whole text of a secret in Secret Manager, and the words that name it in messages.
    ///
    /// - Parameter written: The value, which begins with `gcp-secret:`.
    /// - Returns: The text; `nil` after a problem was reported, or if the secret was not read yet.
    func cloudSecret(_ written: String) -> (text: String, origin: String, source: SecretValue.Source)? {
        guard let name = CloudSecretName(String(written.dropFirst(CloudSecretName.prefix.count))) else {
            return refusing(
                "write gcp-secret:NAME, or gcp-secret:projects/PROJECT/secrets/NAME/versions/VERSION")
        }
        guard let readings = reader.cloudSecrets else {
            return refusing("gcp-secret: is not available in this file: write env:NAME or file:/path")
        }
        switch readings[name] {
        case .payload(let file, _)?:
            do throws(SettingsFileError) {
                return (try file.text(), "the secret \(name.secret)", .cloudSecret(name))
            } catch {
                return refusing("the secret \(name.secret) \(error.message)")
            }
        case .failed(let sentence)?: return refusing("the secret \(name.secret) \(sentence)")
        case nil:
            reader.await(name, line: line, key: key)
            return nil
        }
    }
}
