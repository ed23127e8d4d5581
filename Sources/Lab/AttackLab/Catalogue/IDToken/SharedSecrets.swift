internal import Foundation
internal import Jansson
internal import OpenSSL

/// Tokens signed with HS256 and a key that is not secret.
enum SharedSecrets {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-05", severity: .critical, oracle: oracle, source: source, reasons: reasons, forgeries: confusions),
        ForgeryRow(
            id: "IDT-06", severity: .critical, oracle: oracle, source: source, reasons: reasons, forgeries: guessed),
    ]

    private static let confusions: [Forgery] = [
        publicKey("a", "the provider's public EC key in PEM", rsa: false) { $0 },
        publicKey("b", "the provider's public EC key in PEM without the last line feed", rsa: false) {
            String($0.dropLast())
        },
        publicKey("c", "the provider's public RSA key in PEM", rsa: true) { $0 },
        publicKey("d", "the provider's public RSA key in PEM without the last line feed", rsa: true) {
            String($0.dropLast())
        },
    ]

    private static let guessed: [Forgery] = [
        secret("a", "the empty string", reveals: [.emptySecret]) { _ in "" },
        secret("b", "one NUL, which HMAC pads to the same key", reveals: [.emptySecret]) { _ in "\0" },
        secret("c", "our client secret", reveals: [.emptySecret]) { try await $0.clientSecret },
        secret("d", "`secret`") { _ in "secret" },
        secret("e", "our client id") { try await $0.audience },
        secret("f", "the key's own id") { try await $0.providerKey("own_kid") },
    ]

    static let attacks: [Attack] = [("e", "EC", false), ("f", "RSA", true)].map { letter, kind, isRSA in
        Attack(
            "IDT-05" + letter, .idToken, .critical,
            "ID tokens are signed with HS256, and the secret is the provider's public \(kind) key in other encodings.",
            oracle: oracle, source: source
        ) { context in
            let text = try await PublicKeyText(context, rsa: isRSA)
            for secret in text.otherSpellings {
                try await context.fire(forged: reasons) { draft in sign(&draft, under: secret, as: text.keyID) }
            }
        }
    }

    private static let oracle = "The server never accepts HS256."
    private static let source =
        "CVE-2016-10555; CVE-2024-33663; CVE-2026-33322; CVE-2026-45363; PROF Key Confusion 7"
    private static let reasons: Set<String> = ["algorithm_not_allowed", "signature_invalid"]

    private static func publicKey(
        _ letter: String, _ what: String, rsa: Bool, _ change: @escaping @Sendable (String) -> String
    ) -> Forgery {
        Forgery(letter, "signed with HS256 and \(what) as secret", reveals: [.publicKeyAsSecret]) { draft, context in
            let text = try await PublicKeyText(context, rsa: rsa)
            sign(&draft, under: Array(change(text.pem).utf8), as: text.keyID)
        }
    }

    private static func secret(
        _ letter: String, _ what: String, reveals: Set<Mistake> = [],
        _ key: @escaping @Sendable (AttackContext) async throws -> String
    ) -> Forgery {
        Forgery(letter, "signed with HS256 and \(what) as secret", reveals: reveals) { draft, context in
            sign(&draft, under: Array(try await key(context).utf8), as: try await context.providerKey("own_kid"))
        }
    }

    private static func sign(_ draft: inout TokenDraft, under secret: [UInt8], as keyID: String) {
        draft.header["alg"] = "HS256"
        draft.header["kid"] = .text(keyID)
        draft.key = .custom { HMACSHA256.authenticationCode(for: $0, key: secret) }
    }
}

extension AttackContext {
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

    init(_ context: AttackContext, rsa: Bool) async throws {
        isRSA = rsa
        keyID = try await context.providerKey(rsa ? "rsa_kid" : "own_kid")
        pem = try await context.providerKey(rsa ? "rsa_pem" : "own_pem")
        if rsa {
            let key = try RSAPublicKey(pem: pem)
            numbers = ["n": key.modulus, "e": key.exponent]
        } else {
            let key = try ECPublicKey(pem: pem)
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
