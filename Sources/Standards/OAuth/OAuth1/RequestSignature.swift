package import JOSE
internal import OpenSSL

/// Signs a request with HMAC-SHA1, the one method that X takes (RFC 5849 §3.4.2).
package struct RequestSignature: Sendable {
    package let client: ClientCredentials
    /// The secret of the temporary or token credentials, with their identifier; nil for the first request of a flow.
    package let token: (identifier: Secret, sharedSecret: Secret)?
    /// Never used twice with one timestamp (§3.3); ASCII.
    package let nonce: String
    package let timestamp: NumericDate

    package init(
        client: ClientCredentials, token: (identifier: Secret, sharedSecret: Secret)?, nonce: String,
        timestamp: NumericDate
    ) {
        self.client = client
        self.token = token
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// The value of the `Authorization` header field (§3.5.1).
    ///
    /// - `protocolParameters`: further `oauth_` parameters, which travel in this field: `oauth_callback`,
    /// `oauth_verifier`.
    /// - `form`: the parameters of a form body, which are signed but travel in the body.
    package func authorization(
        method: String, url: String, protocolParameters: [(name: String, value: String)] = [],
        form: [(name: String, value: String)] = []
    ) -> String {
        var parameters: [(name: String, value: String)] = [
            ("oauth_consumer_key", client.identifier),
            ("oauth_nonce", nonce),
            ("oauth_signature_method", "HMAC-SHA1"),
            ("oauth_timestamp", String(timestamp.seconds)),
            ("oauth_version", "1.0"),
        ]
        if let token {
            parameters.append(("oauth_token", token.identifier.secretText))
        }
        parameters += protocolParameters
        let base = SignatureBaseString.make(method: method, url: url, parameters: parameters + form)
        parameters.append(("oauth_signature", signature(of: base)))
        return "OAuth "
            + parameters
            .map { PercentEncoding.encode($0.name) + "=\"" + PercentEncoding.encode($0.value) + "\"" }
            .joined(separator: ", ")
    }

    /// The base64 form of HMAC-SHA1 over a signature base string.
    package func signature(of baseString: String) -> String {
        // §3.4.2: both secrets encoded, joined by an ampersand that stands even where one of them is empty.
        let key =
            PercentEncoding.encode(client.sharedSecret.secretText) + "&"
            + PercentEncoding.encode(token?.sharedSecret.secretText ?? "")
        return Base64.encode(HMACSHA1.authenticationCode(for: Array(baseString.utf8), key: Array(key.utf8)))
    }
}
