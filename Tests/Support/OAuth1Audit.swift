internal import OpenSSL
internal import Standards
package import Transport

/// A receiver's view of a signed request of OAuth 1.0a.
///
/// It shares only HMAC-SHA1 with the code that signs.
package struct OAuth1Audit: Sendable {
    /// The parameters of the `Authorization` field, decoded.
    package let parameters: [String: String]

    private let request: OutboundRequest

    /// Parses a request; returns `nil` if it has no field of scheme `OAuth`, or if a parameter occurs twice.
    package init?(_ request: OutboundRequest) {
        guard let field = request[field: "Authorization"], field.hasPrefix("OAuth ") else { return nil }
        var parameters: [String: String] = [:]
        for part in field.dropFirst("OAuth ".count).split(separator: ",") {
            let halves = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, halves[1].hasPrefix("\""), halves[1].hasSuffix("\""),
                parameters[String(halves[0])] == nil
            else { return nil }
            parameters[Self.decoded(halves[0])] = Self.decoded(halves[1].dropFirst().dropLast())
        }
        self.parameters = parameters
        self.request = request
    }

    /// Whether the signature is the one of these secrets (RFC 5849 §3.4).
    package func isSigned(consumerSecret: String, tokenSecret: String) -> Bool {
        let halves = request.url.split(separator: "?", maxSplits: 1)
        var pairs = parameters.filter { $0.key != "oauth_signature" }.map { ($0.key, $0.value) }
        if halves.count == 2 { pairs += Self.pairs(halves[1]) }
        if request[field: "Content-Type"] == "application/x-www-form-urlencoded" {
            pairs += Self.pairs(Substring(String(decoding: request.body, as: UTF8.self)))
        }
        let normalized = pairs.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.sorted().joined(separator: "&")
        let base = [request.method.rawValue, String(halves[0]), normalized].map(Self.encoded).joined(separator: "&")
        let key = Self.encoded(consumerSecret) + "&" + Self.encoded(tokenSecret)
        let code = HMACSHA1.authenticationCode(for: Array(base.utf8), key: Array(key.utf8))
        return parameters["oauth_signature"] == Base64.encode(code)
    }

    private static func pairs(_ text: Substring) -> [(String, String)] {
        text.split(separator: "&").map { part in
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(halves[0]), halves.count == 2 ? decoded(halves[1]) : "")
        }
    }

    private static func encoded(_ text: String) -> String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let digits = Array("0123456789ABCDEF")
        return text.utf8.map { octet in
            unreserved.contains(octet)
                ? String(UnicodeScalar(octet)) : "%\(digits[Int(octet / 16)])\(digits[Int(octet % 16)])"
        }.joined()
    }

    private static func decoded(_ text: Substring) -> String {
        var octets: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                octets.append(octet)
                continue
            }
            octets.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
