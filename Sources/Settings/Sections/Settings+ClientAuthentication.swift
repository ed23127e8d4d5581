internal import Foundation
internal import JOSE
internal import OpenSSL
package import Providers
internal import Standards

extension Settings {
    /// The keys `token_endpoint_auth`, `client_secret` and `client_key` of a provider.
    ///
    /// A section has a property of this type, the rows ``keys(at:)``, and reads the property in its `check`.
    package struct ClientAuthenticationKeys: Sendable, Equatable {
        package var method = TokenEndpointAuthentication.clientSecretBasic
        /// The secret as a text.
        package var secret: SecretValue?
        /// The key with which Apple's secret is made; never beside ``secret``.
        package var apple: AppleSecret?
        /// Only with ``TokenEndpointAuthentication/privateKeyJWT``.
        package var key: ClientKey?
    }

    /// The section `client_key`: the key of `private_key_jwt`.
    package struct ClientKey: SettingsSection {
        package var key: PrivateKey?
        package var keyID: String?
        package var audience: String?

        static let keys: [Key<Self>] = [
            .key(
                "key", \.key, .privateKey(),
                required: "write file:/path or env:NAME of the private key in PEM"),
            .optional("key_id", \.keyID, .value { $0.keyID() }),
            .optional("audience", \.audience, .value { $0.identifier() }, unset: "the token endpoint"),
        ]
    }

    /// The section `client_secret.apple`: what Apple's client secret is made of.
    package struct AppleSecret: SettingsSection {
        package var key: PrivateKey?
        package var keyID = ""
        package var teamID = ""

        static let keys: [Key<Self>] = [
            .key(
                "key", \.key, .privateKey(onlyP256: "Apple's keys are on the curve P-256"),
                required: "write file:/path of the key that Apple's developer account lets you download once"),
            .key(
                "key_id", \.keyID, .value { $0.appleID("the key, such as ABC123DEFG") },
                required: "write the id of the key, which Apple's developer account shows under Keys"),
            .key(
                "team_id", \.teamID, .value { $0.appleID("the team, such as TEAM123456") },
                required: "write the id of the team, which Apple's developer account shows under Membership"),
        ]
    }

    /// A private key that signs the JWTs of this server, and its source.
    package struct PrivateKey: Sendable, Equatable {
        let signer: JWSSigner
        package let source: SecretValue.Source
    }
}

extension Settings.ClientAuthenticationKeys {
    /// The rows of a section whose property has this type.
    static func keys<Root>(at property: any KeyPath<Root, Self> & Sendable) -> [Key<Root>] {
        func lines(
            _ write: @escaping @Sendable (Self, _ path: String) -> [String]
        ) -> @Sendable (Root, _ path: String) -> [String] {
            { root, path in write(root[keyPath: property], path) }
        }
        return [
            Key(
                name: "client_secret",
                paths: ["client_secret"] + Settings.AppleSecret.names.map { "client_secret.apple.\($0)" },
                read: { _, _ in },
                lines: lines { keys, path in
                    keys.apple?.lines(below: "\(path).apple") ?? keys.secret.map { ["\(path): \($0.source.elided)"] }
                        ?? []
                }),
            .named("token_endpoint_auth", [], lines { keys, path in ["\(path): \(keys.method.rawValue)"] }),
            .named(
                "client_key", Settings.ClientKey.names, lines { keys, path in keys.key?.lines(below: path) ?? [] }),
        ]
    }

    /// Reads the keys of a section, and reports what contradicts itself.
    ///
    /// - Parameters:
    ///   - section: The section of a provider.
    ///   - method: The method if the section names none.
    static func read(_ section: Section, default method: TokenEndpointAuthentication) -> Self {
        var keys = Self()
        keys.method = method
        let written = section["token_endpoint_auth"]
        keys.method = written?.tokenEndpointAuthentication() ?? keys.method
        keys.readSecret(section)
        if keys.apple != nil, written == nil { keys.method = .clientSecretPost }
        if section["client_key"] != nil {
            keys.key = Settings.ClientKey.read(section.section("client_key", Settings.ClientKey.self))
        }
        if !section.isRefused("token_endpoint_auth") { keys.check(section) }
        return keys
    }

    private mutating func readSecret(_ section: Section) {
        guard let entry = section["client_secret"] else { return }
        guard entry.isSection else {
            secret = entry.secret()
            if let secret { entry.warnOfExpiry(secret) }
            return
        }
        guard entry.peek("apple") != nil else {
            // This reports a key that is no text, such as a placeholder of a template.
            _ = entry.members()
            guard !entry.hasProblem else { return }
            return entry.refuse("must be a text, such as env:NAME, or contain apple with key, key_id and team_id")
        }
        apple = .read(Section(entry, keys: ["apple"]).section("apple", Settings.AppleSecret.self))
    }

    private func check(_ section: Section) {
        let hasSecret = section["client_secret"] != nil
        switch method {
        case .clientSecretBasic, .clientSecretPost:
            if !hasSecret {
                section.refuseMissing(
                    "client_secret",
                    "write env:NAME or file:/path, for Apple client_secret.apple with key, key_id and team_id, or client_key "
                        + "with token_endpoint_auth: private_key_jwt, or token_endpoint_auth: none with pkce: S256")
            }
        case .privateKeyJWT, .none:
            if hasSecret {
                section.refuse(
                    "client_secret",
                    "is never sent with token_endpoint_auth: \(method.rawValue): leave out one of the two")
            }
        }
        if apple != nil, method == .clientSecretBasic {
            section.refuse(
                "token_endpoint_auth",
                "must be client_secret_post with client_secret.apple, because Apple reads the secret from the form: leave "
                    + "it out")
        }
        let hasKey = section["client_key"] != nil
        if method == .privateKeyJWT, !hasKey {
            section.refuse(
                "client_key",
                "is missing: token_endpoint_auth: private_key_jwt needs it: write client_key with key and key_id")
        }
        if method != .privateKeyJWT, hasKey {
            section.refuse(
                "client_key",
                "is used only with token_endpoint_auth: private_key_jwt: write that without client_secret, or leave out "
                    + "client_key")
        }
    }

    /// What the component uses; a public client if a value was refused, which no caller sees.
    package var clientAuthentication: ClientAuthentication {
        switch method {
        case .clientSecretBasic: secret.map { .clientSecretBasic($0.secret) } ?? .none
        case .clientSecretPost:
            if let apple, let key = apple.key {
                .signedJWT(.apple(key.signer, keyID: apple.keyID, teamID: apple.teamID))
            } else {
                secret.map { .clientSecretPost($0.secret) } ?? .none
            }
        case .privateKeyJWT:
            if let client = key, let key = client.key {
                .signedJWT(.assertion(key.signer, keyID: client.keyID, audience: client.audience))
            } else {
                .none
            }
        case .none: .none
        }
    }
}

extension Settings.AppleSecret {
    mutating func check(_ section: Section) {
        guard !keyID.isEmpty, !section.isRefused("key_id") else { return }
        if teamID == keyID { section.refuse("team_id", "is the same as key_id: write the id of the team") }
        if case .file(let path) = key?.source,
            let name = path.split(separator: "/").last?.wholeMatch(of: /AuthKey_(.*)\.p8/),
            !name.output.1.exactlyEquals(keyID)
        {
            section.warn(
                "key_id", "is \(keyID), and Apple names a file after the id of its key: compare it with \(path)")
        }
    }
}

extension Rule<Settings.PrivateKey?> {
    /// A private key in PEM on P-256 or with RSA, in a file or in a variable.
    ///
    /// - Parameter reason: If only P-256 is accepted, the reason.
    fileprivate static func privateKey(onlyP256 reason: String? = nil) -> Self {
        Self({ $0.privateKey(onlyP256: reason).map(Optional.some) }, write: { $0?.source.elided })
    }
}

extension Entry {
    /// Registered methods (RFC 8705 §2, OpenID Connect Core §9) that this program does not support.
    private static let unsupportedMethods = ["client_secret_jwt", "tls_client_auth", "self_signed_tls_client_auth"]

    fileprivate func tokenEndpointAuthentication() -> TokenEndpointAuthentication? {
        guard let text = writtenText, Self.unsupportedMethods.contains(text) else {
            return choice(TokenEndpointAuthentication.self)
        }
        return refusing(
            "\(text) is not supported: choose client_secret_basic, or private_key_jwt, which needs client_key in place of "
                + "client_secret, in the registration at the provider, and write it here")
    }

    /// Reads the `kid` of a key, which the provider chose.
    ///
    /// Some are short or common words, so that none is a placeholder.
    fileprivate func keyID() -> String? {
        guard let text = text() else { return nil }
        return KeyID(text) != nil
            ? text : refusing("must have at most 256 octets: write the id of the key at the provider")
    }

    /// Reads an id of Apple's developer account.
    fileprivate func appleID(_ subject: String) -> String? {
        guard let text = text() else { return nil }
        guard let id = follow(text, isSecret: false)?.secretText else { return nil }
        let isID = id.utf8.count == 10 && id.utf8.allSatisfy { Self.appleCharacters.contains($0) }
        return isID ? id : refusing("must be 10 capital letters and digits: write the id of \(subject)")
    }

    private static let appleCharacters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)

    /// Reads a private key from a file, a variable or Secret Manager.
    fileprivate func privateKey(onlyP256 reason: String?) -> Settings.PrivateKey? {
        guard let (pem, source, origin) = pemText() else { return nil }
        let text = pem.withPEMLineBreaks
        do throws(KeyError) {
            let signer = try JWSSigner(pem: text)
            guard let reason, signer.algorithm != .es256 else {
                return Settings.PrivateKey(signer: signer, source: source)
            }
            return refusing("\(origin) is an RSA key, and \(reason): name the file AuthKey_KEYID.p8")
        } catch {
            return refusing("\(origin) \(error.sentence(for: text, onlyP256: reason))")
        }
    }

    /// The text of the file, variable or secret that this entry names, and the words that name it in messages.
    private func pemText() -> (pem: String, source: SecretValue.Source, origin: String)? {
        if let written = writtenText, written.contains("-----BEGIN") {
            return refusing("contains the key itself: write the key into a file, and file:/path here")
        }
        guard let written = path() else { return nil }
        if written.hasPrefix("env:") {
            let variable = String(written.dropFirst("env:".count))
            return environmentText(of: variable).map { ($0.text, .environment(variable: variable), $0.origin) }
        }
        if written.hasPrefix(CloudSecretName.prefix) {
            return cloudSecret(written).map { ($0.text, $0.source, $0.origin) }
        }
        guard written.hasPrefix("file:/") else {
            return refusing("must be in a file or a variable: write file:/path or env:NAME")
        }
        let path = String(written.dropFirst("file:".count))
        return secretFile(at: path).map { ($0, .file(path: path), "the file \(path)") }
    }

    /// The end of the last day whose year has four digits; a later one is none that an operator waits for.
    private static let latestDay = NumericDate(253_402_300_800)

    /// Warns if a secret is a JWT that expires, such as one that an operator signed for Apple.
    fileprivate func warnOfExpiry(_ secret: SecretValue) {
        guard let jws = try? CompactJWS.parse(secret.secretText), let claims = try? UnverifiedClaims(of: jws),
            let expiry = claims.expiry, expiry < Self.latestDay
        else { return }
        let day = Date(timeIntervalSince1970: Double(expiry.seconds)).formatted(.iso8601.year().month().day())
        let alternative =
            ClientJWT.isOfApple(secret.secret)
            ? ", or client_secret.apple with key, key_id and team_id, with which the server makes one for each request"
            : ""
        warn(
            "is a JWT that is valid until \(day): write a new one by then, or now if that day has passed\(alternative)")
    }
}

extension KeyError {
    /// What is wrong with the private key of a client, and what to do.
    ///
    /// - Parameters:
    ///   - text: The text of the key, of which nothing is shown.
    ///   - reason: If only P-256 is accepted, the reason.
    /// - Returns: A sentence whose subject, the file or the variable, is left out.
    fileprivate func sentence(for text: String, onlyP256 reason: String?) -> String {
        if let damage = PEMText.damage(of: text, as: .privateKey) { return damage }
        let accepted = reason.map { "and \($0)" } ?? "and must be on P-256 (ES256), or an RSA key (RS256)"
        return switch self {
        case .wrongType(_, .otherCurve): "is a key on another curve than P-256, \(accepted): \(Self.another(reason))"
        case .wrongType: "is neither a key on P-256 nor an RSA key, \(accepted): \(Self.another(reason))"
        case .unsupportedSize(let bits) where reason == nil:
            "is an RSA key with \(bits) bits, and must have 2048 to 4096: \(Self.another(reason))"
        case .weakExponent where reason == nil: "is an RSA key with an unusual exponent: \(Self.another(reason))"
        case .unsupportedSize, .weakExponent: "is an RSA key, \(accepted): \(Self.another(reason))"
        case .failed(let error):
            "is refused by OpenSSL (\(error.reasons.joined(separator: "; "))): \(Self.another(reason))"
        case .malformed, .encrypted, .certificateInsteadOfKey, .publicKeyInsteadOfPrivate, .privateKeyInsteadOfPublic,
            .pointNotOnCurve, .halvesDoNotMatch, .pinInURI:
            "has no private key that can be read between its first and its last line: copy the whole file again, if it was copied; "
                + "otherwise \(Self.another(reason))"
        }
    }

    private static func another(_ reason: String?) -> String {
        reason == nil
            ? "make another key, such as openssl ecparam -name prime256v1 -genkey -noout -out FILE, and register its public "
                + "key at the provider"
            : "name the file AuthKey_KEYID.p8"
    }
}
