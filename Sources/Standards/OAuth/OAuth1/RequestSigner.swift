package import JOSE
internal import OpenSSL
package import Transport

/// The factory of signed requests of one client (RFC 5849 §3).
package struct RequestSigner: Sendable {
    private let client: ClientCredentials
    private let random: RandomSource
    private let time: TimeSource

    package init(client: ClientCredentials, random: RandomSource, time: TimeSource) {
        self.client = client
        self.random = random
        self.time = time
    }

    /// Returns a signed request, which may be sent once, because its nonce is part of the signature.
    ///
    /// - Parameters:
    ///   - url: The URL without a query.
    ///   - token: The temporary or token credentials; `nil` for the first request of a flow.
    ///   - query: The query, which is signed.
    ///   - protocolParameters: Further `oauth_` parameters for the field `Authorization`.
    ///   - form: The body of a POST, which is signed; empty for none.
    /// - Returns: The request, with its field `Authorization`.
    /// - Throws: ``RandomFailure`` if there is no nonce.
    package func request(
        _ method: OutboundRequest.Method, _ url: String, token: (identifier: Secret, sharedSecret: Secret)? = nil,
        query: Parameters = Parameters([]), protocolParameters: [(name: String, value: String)] = [],
        form: Parameters = Parameters([]), timeout: Duration
    ) throws(RandomFailure) -> OutboundRequest {
        let signature = RequestSignature(
            client: client, token: token, nonce: try random.unguessableText(), timestamp: time.now())
        let whole = query.pairs.isEmpty ? url : url + "?" + query.encoded
        var header = [
            HeaderField(
                "Authorization",
                signature.authorization(
                    method: method.rawValue, url: whole, protocolParameters: protocolParameters, form: form.pairs))
        ]
        if !form.pairs.isEmpty {
            header.append(HeaderField("Content-Type", "application/x-www-form-urlencoded"))
        }
        return OutboundRequest(method, whole, header: header, body: Array(form.encoded.utf8), timeout: timeout)
    }
}

/// The signature of one request by HMAC-SHA1, the only method that X supports (RFC 5849 §3.4.2).
package struct RequestSignature: Sendable {
    package let client: ClientCredentials
    /// The temporary or token credentials; `nil` for the first request of a flow.
    package let token: (identifier: Secret, sharedSecret: Secret)?
    /// ASCII text that is never used twice with one timestamp (§3.3).
    package let nonce: String
    package let timestamp: NumericDate

    /// Returns the value of the header field `Authorization` (§3.5.1).
    ///
    /// - Parameters:
    ///   - url: The URL with its query.
    ///   - protocolParameters: Further `oauth_` parameters for this field: `oauth_callback`, `oauth_verifier`.
    ///   - form: The parameters of the body, which are signed and not part of this field.
    /// - Returns: The value, on one line.
    package func authorization(
        method: String, url: String, protocolParameters: [(name: String, value: String)],
        form: [(name: String, value: String)]
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

    /// Returns the base64 of the HMAC-SHA1 of a signature base string.
    package func signature(of baseString: String) -> String {
        // §3.4.2: the key consists of both encoded secrets and an ampersand, also if one of them is empty.
        let key =
            PercentEncoding.encode(client.sharedSecret.secretText) + "&"
            + PercentEncoding.encode(token?.sharedSecret.secretText ?? "")
        return Base64.encode(HMACSHA1.authenticationCode(for: Array(baseString.utf8), key: Array(key.utf8)))
    }
}
