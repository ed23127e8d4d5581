/// JSON that need not be right: members keep their order, may stand twice, and may hold any text.
indirect enum Forged: Sendable {
    case text(String)
    case number(Int64)
    case bool(Bool)
    case null
    case array([Forged])
    case object([(name: String, value: Forged)])
    /// As it stands.
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

/// The members of a JOSE header or of a claims set, which can be changed, taken away and doubled.
struct ForgedMembers: Sendable {
    private(set) var members: [(name: String, value: Forged)]
    /// Stands for all members.
    var raw: [UInt8]?

    init(_ members: [(name: String, value: Forged)]) { self.members = members }

    /// The first member of that name; setting replaces it where it stands, nil takes all of the name away.
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

    /// One more member, though there may be one of that name.
    mutating func append(_ name: String, _ value: Forged) { members.append((name, value)) }

    mutating func prepend(_ name: String, _ value: Forged) { members.insert((name, value), at: 0) }

    var bytes: [UInt8] { raw ?? Array(Forged.object(members).json.utf8) }
}

/// An ID token that is right in everything, until it is changed.
struct TokenDraft: Sendable {
    /// Whose key signs.
    enum Key: Sendable {
        /// The provider's, ES256.
        case provider
        /// The provider's other one, RS256; set `alg` and `kid` as ``useRSA(_:)`` does.
        case providerRSA
        /// ES256 by a key that is in no set.
        case foreign
        /// The provider's, (r, s) as (r, n − s).
        case malleated
        /// None: the third part is empty.
        case none
        /// What this makes of the signing input.
        case custom(@Sendable ([UInt8]) throws -> [UInt8])
    }

    var header: ForgedMembers
    var claims: ForgedMembers
    var key = Key.provider
    /// Changes the finished text.
    var finish: (@Sendable (String) -> String)?

    /// - `now`: seconds since 1970.
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
