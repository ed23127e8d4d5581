import OpenSSL

/// HMAC-SHA1 signatures of OAuth 1.0a (RFC 5849 §3.4).
package enum OAuth1Signature {
    /// The text that is signed (§3.4.1.1).
    ///
    /// `baseURL` is scheme, host, port and path as §3.4.1.2 writes them, without a query; `parameters` are those of query,
    /// form and header, decoded, without `realm` and `oauth_signature`.
    package static func baseString(
        method: String, baseURL: String, parameters: [(name: String, value: String)]
    ) -> String {
        // §3.4.1.3.2: sorted by name, then by value, once both are encoded; encoded text is ASCII.
        let normalized = parameters.map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
            .sorted { $0 < $1 }
            .map { $0 + "=" + $1 }
            .joined(separator: "&")
        return [method.uppercased(), baseURL, normalized].map(PercentEncoding.encode).joined(separator: "&")
    }

    /// The signature in base64 (§3.4.2); `tokenSecret` is empty where there is no token yet.
    package static func signature(of baseString: String, clientSecret: String, tokenSecret: String) -> String {
        let key = PercentEncoding.encode(clientSecret) + "&" + PercentEncoding.encode(tokenSecret)
        return Base64.encode(
            HMACSHA1.authenticationCode(for: Array(baseString.utf8), key: Array(key.utf8)))
    }
}
