internal import Jansson
internal import OpenSSL

extension JWK {
    /// Reads one entry of `keys`.
    ///
    ///     {"kty": "EC", "crv": "P-256", "x": "cWZx…", "y": "rxX9…", "kid": "3466…", "alg": "ES256", "use": "sig"}
    ///     {"kty": "RSA", "n": "kqGb…", "e": "AQAB", "kid": "kid-rsa-sign"}
    init(_ json: JSON) throws(JWKRefusal) {
        guard json.object != nil else { throw .notAnObject }
        id = try Self.keyID(in: json)
        let type = try Self.text("kty", in: json)
        guard type != "oct", json["k"] == nil else { throw .symmetric }
        // RFC 7518 §6.2.2 and §6.3.2.
        guard ["d", "p", "q", "dp", "dq", "qi", "oth"].allSatisfy({ json[$0] == nil }) else { throw .privateMember }
        try Self.checkPurpose(of: json)
        switch type {
        case "RSA":
            material = try Material(try Self.rsa(json))
        case "EC":
            material = .p256(try Self.p256(json))
        default:
            throw .typeNotSupported
        }
        // Absent is well: RFC 7517 §4.4 makes it optional, and the type leaves one algorithm alone.
        guard json["alg"] == nil || json["alg"] == .string(algorithm.rawValue) else { throw .algorithmDoesNotFit }
    }

    static func keyID(in json: JSON) throws(JWKRefusal) -> KeyID? {
        guard let member = json["kid"] else { return nil }
        guard let keyID = member.string.flatMap(KeyID.init) else { throw .malformedMember("kid") }
        return keyID
    }

    /// RFC 7517 §4.2 and §4.3.
    private static func checkPurpose(of json: JSON) throws(JWKRefusal) {
        guard json["use"] == nil || json["use"] == .string("sig") else { throw .useNotSignature }
        guard let operations = json["key_ops"] else { return }
        guard let operations = operations.array, operations.contains(.string("verify")) else {
            throw .operationNotVerify
        }
    }

    private static func rsa(_ json: JSON) throws(JWKRefusal) -> RSAPublicKey {
        let modulus = try octets("n", in: json)
        let exponent = try octets("e", in: json)
        do {
            return try RSAPublicKey(modulus: modulus, exponent: exponent)
        } catch {
            throw .key(error)
        }
    }

    private static func p256(_ json: JSON) throws(JWKRefusal) -> P256PublicKey {
        guard try text("crv", in: json) == "P-256" else { throw .curveNotSupported }
        let x = try octets("x", in: json)
        let y = try octets("y", in: json)
        do {
            return try P256PublicKey(x: x, y: y)
        } catch {
            throw .key(error)
        }
    }

    private static func text(_ name: String, in json: JSON) throws(JWKRefusal) -> String {
        guard let text = json[name]?.string else { throw .malformedMember(name) }
        return text
    }

    private static func octets(_ name: String, in json: JSON) throws(JWKRefusal) -> [UInt8] {
        guard let octets = try? Base64URL.decode(try text(name, in: json)) else { throw .malformedMember(name) }
        return octets
    }
}

extension JWK.Material {
    /// Refuses a key whose private part can be computed.
    init(_ key: RSAPublicKey) throws(JWKRefusal) {
        guard !FactorableModulus.matches(key.modulus) else { throw .factorable }
        self = .rsa(key)
    }
}
