internal import Jansson
internal import OpenSSL

/// A public key of a JSON Web Key Set.
package struct JWK: Sendable {
    enum Material: Sendable {
        case rsa(RSAPublicKey)
        case curve(ECPublicKey)
        case ed25519(Ed25519PublicKey)
    }

    package let id: KeyID?

    let material: Material
    /// The algorithms that the key may be used with: the one that its `alg` names, or all of its type.
    ///
    /// They do not depend on the token. None of them is symmetric, so that no token can make a secret of a published key.
    package let algorithms: Set<Algorithm>

    /// The issuer whose tokens the key signs, in a set of several issuers such as that of all tenants of Microsoft; empty if the
    /// member is no text.
    let issuer: String?

    /// Whether the issuer of a token may sign with this key.
    ///
    /// - Parameter placeholder: What stands in ``issuer`` for the tenant of the token (`tid`).
    /// - Returns: `true` also if the key names no issuer.
    func belongs(toIssuerOf claims: Claims, placeholder: String) -> Bool {
        guard let issuer else { return true }
        let named = claims["tid"]?.string.map { issuer.replacing(placeholder, with: $0) } ?? issuer
        return claims.issuer.map(named.exactlyEquals) ?? false
    }

    /// Returns `false` also for an algorithm that is not one of ``algorithms``.
    func isValid(signature: [UInt8], for message: [UInt8], _ algorithm: Algorithm) -> Bool {
        guard algorithms.contains(algorithm) else { return false }
        switch material {
        case .rsa(let key):
            let padding = [.ps256, .ps384, .ps512].contains(algorithm) ? RSAPadding.pss : .pkcs1
            return key.isValid(signature: signature, for: message, padding, algorithm.digest)
        case .curve(let key): return key.isValid(signature: signature, for: message)
        case .ed25519(let key): return key.isValid(signature: signature, for: message)
        }
    }

    /// Returns this key with the algorithms of another entry, if both are the same key under the same id.
    func merged(with other: JWK) -> JWK? {
        guard id == other.id, material.isSame(as: other.material), issuer.exactlyEquals(other.issuer) else {
            return nil
        }
        return JWK(id: id, material: material, algorithms: algorithms.union(other.algorithms), issuer: issuer)
    }
}

extension JWK {
    /// Parses one entry of `keys`.
    ///
    ///     {"kty": "EC", "crv": "P-256", "x": "cWZx…", "y": "rxX9…", "kid": "3466…", "alg": "ES256", "use": "sig"}
    ///     {"kty": "RSA", "n": "kqGb…", "e": "AQAB", "kid": "kid-rsa-sign"}
    init(_ json: JSON) throws(JWKRefusal) {
        guard json.object != nil else { throw .notAnObject }
        id = try Self.keyID(in: json)
        issuer = json["issuer"].flatMap { $0 == .null ? nil : $0.string ?? "" }
        let type = try Self.text("kty", in: json)
        guard type != "oct", json["k"] == nil else { throw .symmetric }
        // RFC 7518 §6.2.2 and §6.3.2.
        guard ["d", "p", "q", "dp", "dq", "qi", "oth"].allSatisfy({ json[$0] == nil }) else { throw .privateMember }
        try Self.checkPurpose(of: json)
        switch type {
        case "RSA":
            material = try Material(try Self.rsa(json))
        case "EC":
            material = .curve(try Self.curve(json))
        case "OKP":
            material = .ed25519(try Self.ed25519(json))
        default:
            throw .typeNotSupported
        }
        // RFC 7517 §4.4 makes `alg` optional. An empty one, and the type of the key in its place, say no more than its absence.
        guard let name = json["alg"], name != .string(""), name != .string(type) else {
            algorithms = material.algorithms
            return
        }
        guard let algorithm = name.string.flatMap(Algorithm.init(exactly:)), material.algorithms.contains(algorithm)
        else { throw .algorithmDoesNotFit }
        algorithms = [algorithm]
    }

    static func keyID(in json: JSON) throws(JWKRefusal) -> KeyID? {
        guard let member = json["kid"], member != .string("") else { return nil }
        guard let keyID = member.string.flatMap(KeyID.init) else { throw .malformedMember("kid") }
        return keyID
    }

    /// Checks that `use` and `key_ops`, if they are present and not empty, allow verification (RFC 7517 §4.2 and §4.3).
    ///
    /// Some providers write `SIG`, and one operation as a text.
    private static func checkPurpose(of json: JSON) throws(JWKRefusal) {
        if let use = json["use"] {
            guard ["", "sig"].contains(use.string?.lowercased()) else { throw .useNotSignature }
        }
        guard let member = json["key_ops"], member != .string(""), member != .array([]) else { return }
        guard (member.array ?? [member]).contains(.string("verify")) else { throw .operationNotVerify }
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

    private static func curve(_ json: JSON) throws(JWKRefusal) -> ECPublicKey {
        guard let curve = Curve(rawValue: try text("crv", in: json)) else { throw .curveNotSupported }
        let x = try octets("x", in: json)
        let y = try octets("y", in: json)
        do {
            return try ECPublicKey(curve, x: x, y: y)
        } catch {
            throw .key(error)
        }
    }

    private static func ed25519(_ json: JSON) throws(JWKRefusal) -> Ed25519PublicKey {
        guard try text("crv", in: json) == "Ed25519" else { throw .curveNotSupported }
        let x = try octets("x", in: json)
        do {
            return try Ed25519PublicKey(x)
        } catch {
            throw .key(error)
        }
    }

    private static func text(_ name: String, in json: JSON) throws(JWKRefusal) -> String {
        guard let text = json[name]?.string else { throw .malformedMember(name) }
        return text
    }

    /// Decodes a number or a point, which some providers write in ordinary base64.
    private static func octets(_ name: String, in json: JSON) throws(JWKRefusal) -> [UInt8] {
        guard let octets = try? Base64URL.decode(anySpelling: try text(name, in: json)) else {
            throw .malformedMember(name)
        }
        return octets
    }
}

extension JWK.Material {
    /// Refuses a key whose private part can be computed.
    init(_ key: RSAPublicKey) throws(JWKRefusal) {
        guard !FactorableModulus.matches(key.modulus) else { throw .factorable }
        self = .rsa(key)
    }

    /// All algorithms of the key's type and curve.
    var algorithms: Set<Algorithm> {
        switch self {
        case .rsa: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        case .curve(let key):
            switch key.curve {
            case .p256: [.es256]
            case .p384: [.es384]
            case .p521: [.es512]
            }
        case .ed25519: [.edDSA]
        }
    }

    func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.rsa(let one), .rsa(let other)): one.modulus == other.modulus && one.exponent == other.exponent
        case (.curve(let one), .curve(let other)): one.curve == other.curve && one.x == other.x && one.y == other.y
        case (.ed25519(let one), .ed25519(let other)): one.bytes == other.bytes
        case (.rsa, _), (.curve, _), (.ed25519, _): false
        }
    }
}

/// The test for RSA keys that a faulty library made, and that can be factored (ROCA, CVE-2017-15361).
///
/// The primes of these keys have the form k · M + (65537^a mod M). M is the product of the first small primes. Modulo
/// each small prime, the modulus of such a key is a power of 65537. The probability that a sound key has this property
/// is less than 2^-27.
///
/// - SeeAlso: Nemec, Sys, Svenda, Klinec, Matyas: The Return of Coppersmith's Attack, 2017, §2.1.
enum FactorableModulus {
    private static let primes = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
        113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ]

    private static let powers = primes.map { prime in
        var powers: Set<Int> = []
        var power = 1
        while powers.insert(power).inserted { power = power * 65537 % prime }
        return powers
    }

    /// Returns whether a modulus, in big-endian order, has the property of the faulty library.
    static func matches(_ modulus: [UInt8]) -> Bool {
        zip(primes, powers).allSatisfy { prime, powers in
            powers.contains(modulus.reduce(0) { ($0 << 8 | Int($1)) % prime })
        }
    }
}
