internal import Foundation
internal import Jansson
internal import OpenSSL

/// A public key of the provider's in the ways in which it can be written.
struct PublicKeyText: Sendable {
    let keyID: String
    /// SubjectPublicKeyInfo, with the last line feed.
    let pem: String
    /// Members of the JWK that are numbers.
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

    /// All but ``pem`` with and without its last line feed.
    var otherSpellings: [[UInt8]] {
        var texts = Self.spellings(of: pem)
        if isRSA { texts += Self.spellings(of: pkcs1) + [pkcs1, String(pkcs1.dropLast())] }
        texts += members.values.sorted()
        texts += [jwk, "{\"keys\":[\(jwk)]}"]
        var secrets = texts.map { Array($0.utf8) } + [Self.der(pem)] + numbers.values.sorted { $0.count < $1.count }
        if isRSA { secrets.append(Self.der(pkcs1)) }
        return secrets
    }

    /// Without line feeds, without labels, with those of DOS, and in base64 of several kinds.
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

    /// RFC 8017 §A.1.1: RSAPublicKey stands behind the 24 bytes that SubjectPublicKeyInfo has for 2048 bits.
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
