/// JSON that may be invalid: members keep their order, may occur twice, and may contain any text.
indirect enum Forged: Sendable {
    case text(String)
    case number(Int64)
    case bool(Bool)
    case null
    case array([Forged])
    case object([(name: String, value: Forged)])
    /// Text that is written unchanged.
    case raw(String)

    var json: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): String(number)
        case .bool(let bool): String(bool)
        case .null: "null"
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.json }.joined(separator: ",") + "}"
        case .raw(let text): text
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                quoted += "\\u00" + Base16.encode([UInt8(scalar.value)])
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension Forged: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral
{
    init(stringLiteral value: String) { self = .text(value) }

    init(integerLiteral value: Int64) { self = .number(value) }

    init(booleanLiteral value: Bool) { self = .bool(value) }

    init(arrayLiteral elements: Forged...) { self = .array(elements) }
}

/// The members of a JOSE header or of a claims set, which can be changed, removed and repeated.
struct ForgedMembers: Sendable {
    private(set) var members: [(name: String, value: Forged)]
    /// The text that replaces all members.
    var raw: [UInt8]?

    init(_ members: [(name: String, value: Forged)]) { self.members = members }

    /// The first member with this name.
    ///
    /// Setting replaces it in place; setting `nil` removes all members with the name.
    subscript(name: String) -> Forged? {
        get { members.first { $0.name == name }?.value }
        set {
            guard let newValue else { return members.removeAll { $0.name == name } }
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].value = newValue
            } else {
                members.append((name, newValue))
            }
        }
    }

    /// Appends a member, even if there is one with this name.
    mutating func append(_ name: String, _ value: Forged) { members.append((name, value)) }

    mutating func prepend(_ name: String, _ value: Forged) { members.insert((name, value), at: 0) }

    var bytes: [UInt8] { raw ?? Array(Forged.object(members).json.utf8) }
}

/// A valid ID token, which an attack changes.
struct TokenDraft: Sendable {
    /// The key that signs.
    enum Key: Sendable {
        /// The ES256 key of the provider.
        case provider
        /// The RS256 key of the provider; `alg` and `kid` must be set as ``useRSA(_:)`` does.
        case providerRSA
        /// An ES256 key that is in no key set.
        case foreign
        /// The ES256 key of the provider, with the signature (r, s) rewritten as (r, n − s).
        case malleated
        /// No key: the third part of the token is empty.
        case none
        /// A signature that a function makes from the signing input.
        case custom(@Sendable ([UInt8]) throws -> [UInt8])
    }

    var header: ForgedMembers
    var claims: ForgedMembers
    var key = Key.provider
    /// Changes the complete token.
    var finish: (@Sendable (String) -> String)?

    /// Makes a valid token, whose time of issue is `now`, in seconds since 1970.
    init(keyID: String, issuer: String, audience: String, subject: String, nonce: String?, now: Int64) {
        header = ForgedMembers([("alg", "ES256"), ("kid", .text(keyID))])
        claims = ForgedMembers([
            ("iss", .text(issuer)), ("sub", .text(subject)), ("aud", .text(audience)), ("iat", .number(now)),
            ("exp", .number(now + 3600)), ("auth_time", .number(now)),
        ])
        if let nonce { claims["nonce"] = .text(nonce) }
    }

    mutating func useRSA(_ keyID: String) {
        key = .providerRSA
        header["alg"] = "RS256"
        header["kid"] = .text(keyID)
    }

    func token(by standIns: StandIns) async throws -> String {
        let text =
            switch key {
            case .provider: try await standIns.sign(header: header.bytes, payload: claims.bytes, key: "own")
            case .providerRSA: try await standIns.sign(header: header.bytes, payload: claims.bytes, key: "rsa")
            case .foreign: try await standIns.sign(header: header.bytes, payload: claims.bytes, key: "foreign")
            case .malleated: try await standIns.sign(header: header.bytes, payload: claims.bytes, key: "malleated")
            case .none: signingInput + "."
            case .custom(let signature):
                signingInput + "." + Base64.urlEncode(try signature(Array(signingInput.utf8)))
            }
        return finish?(text) ?? text
    }

    private var signingInput: String { Base64.urlEncode(header.bytes) + "." + Base64.urlEncode(claims.bytes) }
}
