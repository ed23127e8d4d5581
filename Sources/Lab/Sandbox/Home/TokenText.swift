import FoundationEssentials
import JOSE
import Jansson
import Transport

/// The parts of a JSON Web Token, for people.
///
/// Nothing is verified.
package struct TokenText: Sendable, Equatable {
    /// JSON with one member per line.
    package let header: String
    package let claims: String
    /// The claims that are times, such as `exp`, in UTC.
    package let times: [Time]
    /// 0 if the token is unsigned.
    package let signatureByteCount: Int

    package struct Time: Sendable, Equatable {
        package let claim: String
        package let text: String
    }

    /// Returns `nil` unless the text has three parts in base64url (RFC 7515 §7.1), the first is JSON with `alg`, and
    /// the second is JSON.
    package init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts[0].hasPrefix("eyJ"), let header = Self.json(parts[0]), header["alg"] != nil,
            let claims = Self.json(parts[1]), let signature = try? Base64URL.decode(parts[2])
        else { return nil }
        self.header = JSONText.pretty(header, shortening: false)
        self.claims = JSONText.pretty(claims, shortening: false)
        times = ["iat", "auth_time", "nbf", "exp"].compactMap { name in
            claims[name]?.integer.map { Time(claim: name, text: Self.utc($0)) }
        }
        signatureByteCount = signature.count
    }

    /// `2023-11-14 22:13:20 UTC`.
    private static func utc(_ seconds: Int64) -> String {
        // The formatter writes no years after 9999.
        guard (0..<253_402_300_800).contains(seconds) else { return "not a date" }
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return text.replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    private static func json(_ part: String) -> JSON? {
        guard let bytes = try? Base64URL.decode(part) else { return nil }
        return try? JSON.parse(bytes)
    }
}

/// A JSON Web Token in a message, with the name of its parameter or member.
struct NamedToken {
    let name: String
    let token: TokenText

    static func all(in request: RecordedRequest) -> [Self] {
        let parameters = (request.query?.pairs ?? []) + (request.form?.pairs ?? [])
        return parameters.compactMap { Self($0.name, $0.value) } + all(inBody: request.body)
    }

    static func all(in response: OutboundResponse) -> [Self] { all(inBody: response.body) }

    init?(_ name: String, _ text: String) {
        guard let token = TokenText(text) else { return nil }
        self.name = name
        self.token = token
    }

    private static func all(inBody body: [UInt8]) -> [Self] {
        guard let value = try? JSON.parse(body, maximumBytes: 1 << 20) else { return [] }
        return all(in: value, name: "")
    }

    private static func all(in value: JSON, name: String) -> [Self] {
        switch value {
        case .object(let members):
            members.sorted { $0.key < $1.key }.flatMap { all(in: $0.value, name: $0.key) }
        case .array(let elements): elements.flatMap { all(in: $0, name: name) }
        case .string(let text): [Self(name, text)].compactMap(\.self)
        case .integer, .real, .bool, .null: []
        }
    }
}
