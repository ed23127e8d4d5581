internal import Foundation
internal import Jansson
internal import OpenSSL

/// Tokens signed with HS256 and a key that is not secret.
enum SharedSecrets {
    static let attacks: [Attack] = [
        confusion("a", "the provider's public EC key in PEM", reveals: [.publicKeyAsSecret]) { Array($0.pem.utf8) },
        confusion("b", "the provider's public EC key in PEM without the last line feed", reveals: [.publicKeyAsSecret])
        {
            Array($0.pem.dropLast().utf8)
        },
        confusion("c", "the provider's public RSA key in PEM", rsa: true, reveals: [.publicKeyAsSecret]) {
            Array($0.pem.utf8)
        },
        confusion(
            "d", "the provider's public RSA key in PEM without the last line feed", rsa: true,
            reveals: [.publicKeyAsSecret]
        ) { Array($0.pem.dropLast().utf8) },
        encodings("e", "EC", rsa: false), encodings("f", "RSA", rsa: true),
        secret("a", "the empty string", reveals: [.emptySecret]) { _ in [] },
        secret("b", "one NUL, which HMAC pads to the same key", reveals: [.emptySecret]) { _ in [0] },
        secret("c", "our client secret", reveals: [.emptySecret]) { Array(try await $0.clientSecret.utf8) },
        secret("d", "`secret`") { _ in Array("secret".utf8) },
        secret("e", "our client id") { Array(try await $0.audience.utf8) },
        secret("f", "the key's own id") { Array(try await $0.providerKey("own_kid").utf8) },
    ]

    private static let expected: Set<String> = ["algorithm_not_allowed", "signature_invalid"]

    private static func confusion(
        _ letter: String, _ what: String, rsa: Bool = false, reveals: Set<Mistake>,
        _ key: @escaping @Sendable (PublicKeyText) -> [UInt8]
    ) -> Attack {
        attack("IDT-05" + letter, "An ID token is signed with HS256, and the secret is \(what).", reveals: reveals) {
            strike in
            let text = try await PublicKeyText(strike, rsa: rsa)
            try await strike.fire(forged: expected) { draft in sign(&draft, under: key(text), as: text.keyID) }
        }
    }

    private static func encodings(_ letter: String, _ kind: String, rsa: Bool) -> Attack {
        attack(
            "IDT-05" + letter,
            "ID tokens are signed with HS256, and the secret is the provider's public \(kind) key in other encodings."
        ) { strike in
            let text = try await PublicKeyText(strike, rsa: rsa)
            for secret in text.otherSpellings {
                try await strike.fire(forged: expected) { draft in sign(&draft, under: secret, as: text.keyID) }
            }
        }
    }

    private static func secret(
        _ letter: String, _ what: String, reveals: Set<Mistake> = [],
        _ key: @escaping @Sendable (Strike) async throws -> [UInt8]
    ) -> Attack {
        attack("IDT-06" + letter, "An ID token is signed with HS256, and the secret is \(what).", reveals: reveals) {
            strike in
            let secret = try await key(strike)
            let keyID = try await strike.providerKey("own_kid")
            try await strike.fire(forged: expected) { draft in sign(&draft, under: secret, as: keyID) }
        }
    }

    private static func attack(
        _ id: String, _ sentence: String, reveals: Set<Mistake> = [],
        strike: @escaping @Sendable (Strike) async throws -> Void
    ) -> Attack {
        Attack(
            id, .idToken, .critical, sentence,
            oracle: "The server never accepts HS256.",
            source: "CVE-2016-10555; CVE-2024-33663; CVE-2026-33322; CVE-2026-45363; PROF Key Confusion 7",
            reveals: reveals, strike: strike)
    }

    private static func sign(_ draft: inout TokenDraft, under secret: [UInt8], as keyID: String) {
        draft.header["alg"] = "HS256"
        draft.header["kid"] = .text(keyID)
        draft.key = .custom { HMACSHA256.authenticationCode(for: $0, key: secret) }
    }
}

extension Strike {
    fileprivate var clientSecret: String {
        get async throws {
            guard let secret = try await standIns.applications()["ours"]?["yahoo.com"]?["client_secret"]?.string else {
                throw Inconclusive("The stand-ins have no application.")
            }
            return secret
        }
    }
}

/// Encodings of a public key of the provider.
struct PublicKeyText: Sendable {
    let keyID: String
    /// SubjectPublicKeyInfo in PEM, with the last line feed.
    let pem: String
    /// Numeric members of the JWK, decoded.
    private let numbers: [String: [UInt8]]
    private let isRSA: Bool

    init(_ strike: Strike, rsa: Bool) async throws {
        isRSA = rsa
        keyID = try await strike.providerKey(rsa ? "rsa_kid" : "own_kid")
        pem = try await strike.providerKey(rsa ? "rsa_pem" : "own_pem")
        if rsa {
            let key = try RSAPublicKey(pem: pem)
            numbers = ["n": key.modulus, "e": key.exponent]
        } else {
            let key = try P256PublicKey(pem: pem)
            numbers = ["x": key.x, "y": key.y]
        }
    }

    /// All encodings except ``pem`` with and without its last line feed.
    var otherSpellings: [[UInt8]] {
        var texts = Self.spellings(of: pem)
        if isRSA { texts += Self.spellings(of: pkcs1) + [pkcs1, String(pkcs1.dropLast())] }
        texts += members.values.sorted()
        texts += [jwk, "{\"keys\":[\(jwk)]}"]
        var secrets = texts.map { Array($0.utf8) } + [Self.der(pem)] + numbers.values.sorted { $0.count < $1.count }
        if isRSA { secrets.append(Self.der(pkcs1)) }
        return secrets
    }

    /// The PEM without line feeds, without labels, with CRLF, and in several kinds of base64.
    private static func spellings(of pem: String) -> [String] {
        let lines = pem.split(separator: "\n").map(String.init)
        let body = lines.filter { !$0.hasPrefix("-") }
        let der = der(pem)
        return [
            lines.joined(), lines.joined(separator: "\r\n") + "\r\n", body.joined(), body.joined(separator: "\n"),
            body.joined(separator: "\n") + "\n", lines.dropLast().joined(separator: "\n"),
            lines[0] + body.joined() + "\n" + lines[lines.count - 1],
            lines[0] + "\n" + body.joined() + lines[lines.count - 1],
            pem + "\n", " " + pem, Base64.urlEncode(der), Data(pem.utf8).base64EncodedString(),
            pem.replacing("\n", with: "\\n"),
        ]
    }

    private static func der(_ pem: String) -> [UInt8] {
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        return Data(base64Encoded: body).map { Array($0) } ?? []
    }

    /// RSAPublicKey (RFC 8017 §A.1.1), which follows the first 24 bytes of SubjectPublicKeyInfo for 2048 bits.
    private var pkcs1: String {
        let text = Data(Self.der(pem).dropFirst(24)).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        return "-----BEGIN RSA PUBLIC KEY-----\n\(text)\n-----END RSA PUBLIC KEY-----\n"
    }

    private var members: [String: String] {
        var members = numbers.mapValues { Base64.urlEncode($0) }
        members["kty"] = isRSA ? "RSA" : "EC"
        members["alg"] = isRSA ? "RS256" : "ES256"
        if !isRSA { members["crv"] = "P-256" }
        members["kid"] = keyID
        return members
    }

    private var jwk: String { JSON.object(members.mapValues { .string($0) }).text }
}
