package import JOSE
package import Transport

/// Makes signed requests of one client (RFC 5849 §3).
package struct RequestSigner: Sendable {
    private let client: ClientCredentials
    private let random: RandomSource
    private let time: TimeSource

    package init(client: ClientCredentials, random: RandomSource, time: TimeSource) {
        self.client = client
        self.random = random
        self.time = time
    }

    /// A request with its `Authorization` field, good for one sending: nonce and timestamp are in the signature.
    ///
    /// - `query`: appended to the URL, and signed.
    /// - `protocolParameters`: see ``RequestSignature/authorization(method:url:protocolParameters:form:)``.
    /// - `form`: the body of a POST, and signed; empty for none.
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
