internal import Foundation
internal import OpenSSL

/// The `Authorization` field of a signed request (RFC 5849 section 3).
struct OAuth1Field: Sendable {
    let consumer: (key: String, secret: String)
    let token: (value: String, secret: String)
    let kit: Kit

    func text(_ method: String, _ url: String, _ query: [(String, String)]) throws(Refusal) -> String {
        var parameters = [
            ("oauth_consumer_key", consumer.key), ("oauth_nonce", try kit.unguessable()),
            ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", String(kit.now)),
            ("oauth_token", token.value), ("oauth_version", "1.0"),
        ]
        // Section 3.4.1.3.2: encoded, then sorted.
        let encoded = (parameters + query).map { (Percent.encode($0.0), Percent.encode($0.1)) }
        let sorted = encoded.sorted { one, other in one < other }.map { name, value in name + "=" + value }
            .joined(separator: "&")
        let base = [method, url, sorted].map(Percent.encode).joined(separator: "&")
        let key = Percent.encode(consumer.secret) + "&" + Percent.encode(token.secret)
        let code = HMACSHA1.authenticationCode(for: Array(base.utf8), key: Array(key.utf8))
        parameters.append(("oauth_signature", Data(code).base64EncodedString()))
        return "OAuth " + parameters.map { "\($0.0)=\"\(Percent.encode($0.1))\"" }.joined(separator: ", ")
    }
}
