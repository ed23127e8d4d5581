internal import Dispatch
package import JOSE
internal import Jansson
internal import OAuth
internal import OpenSSL
package import Transport

extension AccessTokenSource {
    /// From an assertion that the service account's key signs (RFC 7523 §2.1).
    ///
    /// - `endpoint`: where the assertion is sent. Its `aud` is Google's own endpoint all the same.
    package static func serviceAccount(
        _ account: ServiceAccount, endpoint: String, scopes: [String], transport: HTTPTransport, time: TimeSource,
        retries: RetryPolicy = RetryPolicy()
    ) -> Self {
        cached(time: time) { () async throws(AccessTokenError) in
            let form = Parameters([
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                ("assertion", try await assertion(of: account, scopes: scopes, at: time.now())),
            ])
            let request = OutboundRequest(
                .post, endpoint, header: [HeaderField("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(form.encoded.utf8), timeout: .seconds(5), maximumBodyBytes: 64 * 1024)
            return try await IssuedAccessToken.request(request, over: transport, time: time, retries: retries)
        }
    }

    private static func assertion(
        of account: ServiceAccount, scopes: [String], at now: NumericDate
    ) async throws(AccessTokenError) -> String {
        var header: [String: JSON] = ["alg": .string(Algorithm.rs256.rawValue), "typ": .string("JWT")]
        header["kid"] = account.privateKeyID.map(JSON.string)
        let unsigned = UnsignedJWS(
            header: .object(header),
            payload: .object([
                "iss": .string(account.clientEmail), "scope": .string(scopes.joined(separator: " ")),
                "aud": .string("https://oauth2.googleapis.com/token"), "iat": .integer(now.seconds),
                "exp": .integer((now + .seconds(3600)).seconds),
            ]))
        let (key, message) = (account.privateKey, Array(unsigned.signingInput.utf8))
        // Elsewhere than on the threads that all tasks share. It is seldom, so that it needs no thread of its own.
        let signature: [UInt8]? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: try? key.signature(for: message)) }
        }
        guard let signature else { throw .signing }
        return unsigned.compact(signature: signature)
    }
}
