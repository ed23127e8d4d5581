internal import Dispatch
package import JOSE
internal import Jansson
package import OpenSSL
package import Standards
package import Transport

/// A source of Google access tokens.
package struct AccessTokenSource: Sendable {
    /// Returns a token that is valid for some seconds at least, from the cache if possible.
    ///
    /// `refused` is a token that Google has just refused, so that it is not returned again.
    package let token: @Sendable (_ refused: Secret?) async throws(AccessTokenError) -> Secret

    package init(token: @escaping @Sendable (_ refused: Secret?) async throws(AccessTokenError) -> Secret) {
        self.token = token
    }

    /// Returns a source of one constant token, for the emulator, whose token is the word `owner`.
    package static func fixed(_ token: Secret) -> Self {
        Self { _ async throws(AccessTokenError) in token }
    }
}

extension AccessTokenSource {
    /// Fetches tokens with an assertion that the service account's key signs (RFC 7523 §2.1).
    ///
    /// - Parameter endpoint: The URL to which the assertion is sent. The `aud` of the assertion is always Google's own
    ///   endpoint.
    /// - Returns: The source, with a cache.
    package static func serviceAccount(
        _ account: ServiceAccount, endpoint: String, scopes: [String], transport: HTTPTransport, time: TimeSource,
        retries: RetryPolicy
    ) -> Self {
        let key = account.privateKeyID?.shown ?? "of its file"
        return assertions(
            endpoint: endpoint, transport: transport, time: time, retries: retries,
            key: "the service account \(account.clientEmail.shown) with the key \(key)"
        ) { () async throws(AccessTokenError) in
            try await assertion(of: account, scopes: scopes, at: time.now())
        }
    }

    /// Fetches tokens with assertions that another process signs.
    ///
    /// - Parameters:
    ///   - endpoint: The URL to which the assertion is sent.
    ///   - key: The service account and the key that signs, in words; `nil` if only the other process knows them.
    /// - Returns: The source, with a cache.
    package static func assertions(
        endpoint: String, transport: HTTPTransport, time: TimeSource, retries: RetryPolicy, key: String? = nil,
        assertion: @escaping @Sendable () async throws(AccessTokenError) -> String
    ) -> Self {
        cached(time: time) { () async throws(AccessTokenError) in
            let form = Parameters([
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", try await assertion()),
            ])
            let request = OutboundRequest(
                .post, endpoint, header: [HeaderField("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(form.encoded.utf8), timeout: .seconds(5), maximumBodyBytes: 64 * 1024)
            return try await IssuedAccessToken.request(
                request, over: transport, time: time, retries: retries, key: key)
        }
    }

    /// Makes the assertion of a service account.
    ///
    /// - Parameters:
    ///   - account: Its key signs.
    ///   - now: The time of issue.
    ///   - lifetime: The time for which Google accepts the assertion, one hour at most. The token is valid for longer.
    /// - Throws: ``AccessTokenError/signing(_:)``.
    package static func assertion(
        of account: ServiceAccount, scopes: [String], at now: NumericDate, lifetime: Duration = .seconds(3600)
    ) async throws(AccessTokenError) -> String {
        var header: [String: JSON] = ["alg": .string(Algorithm.rs256.rawValue), "typ": .string("JWT")]
        header["kid"] = account.privateKeyID.map(JSON.string)
        let input = JWSSigningInput(
            header: .object(header),
            payload: .object([
                "iss": .string(account.clientEmail), "scope": .string(scopes.joined(separator: " ")),
                "aud": .string("https://oauth2.googleapis.com/token"), "iat": .integer(now.seconds),
                "exp": .integer((now + lifetime).seconds),
            ]))
        let (key, message) = (account.privateKey, Array(input.text.utf8))
        // Signing must not block the threads that all tasks share. It is rare, so that it needs no thread of its own.
        let result: Result<[UInt8], OpenSSLError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(OpenSSLError) in try key.signature(for: message) })
            }
        }
        return input.compact(signature: try wrappingNow(AccessTokenError.signing, result.get()))
    }
}

/// A token from Google's response.
///
///     {"access_token": "ya29.…", "expires_in": 3599, "token_type": "Bearer"}
struct IssuedAccessToken: Sendable {
    let secret: Secret
    let lifetime: Duration

    /// Requests a token, and repeats failed requests as the policy allows.
    static func request(
        _ request: OutboundRequest, over transport: HTTPTransport, time: TimeSource, retries: RetryPolicy,
        key: String? = nil
    ) async throws(AccessTokenError) -> Self {
        let response = try await wrapping(
            AccessTokenError.unreachable, await retries.send(request, over: transport, time: time))
        switch response.status {
        case 200: return try Self(response.body)
        case let status where RetryPolicy.isTemporary(status: status): throw .busy(status: status)
        case let status where (400...499).contains(status):
            throw .refused(status: status, words: response.googleWords(), key: key)
        default: throw .malformed
        }
    }

    private init(_ body: [UInt8]) throws(AccessTokenError) {
        guard let answer = try? JSON.parse(body), let text = answer["access_token"]?.string,
            let seconds = answer["expires_in"]?.integer, answer["token_type"]?.string?.lowercased() == "bearer",
            let token = Self(text, seconds: seconds)
        else { throw .malformed }
        self = token
    }

    /// Returns `nil` if the token has expired or cannot be part of a header field (RFC 6750 §2.1).
    init?(_ text: String, seconds: Int64) {
        guard seconds > 0, !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        secret = Secret(text)
        lifetime = .seconds(min(seconds, 86_400))
    }
}

/// The reason why there is no access token.
package enum AccessTokenError: Error, Equatable, Sendable {
    /// The last attempt received no usable response.
    case unreachable(TransportError)
    /// Google refuses to issue a token to this service account or this federated identity, with a status from 400 to 499 except 408 and 429.
    ///
    /// The usual reason for 400 with `invalid_grant` is that the key was revoked, or that the clock of this server is wrong.
    /// `words` are Google's, without credentials. `key` names the service account and the key that signed the request.
    case refused(status: Int, words: String? = nil, key: String? = nil)
    /// The status of the last response was 408, 429 or 5xx.
    case busy(status: Int)
    /// The response contains no usable token.
    case malformed
    /// OpenSSL did not sign the request for a token.
    case signing(OpenSSLError)
    /// The process that holds the key did not sign the request for a token; its reason.
    case unsigned(String)
    /// This machine has no token of the issuer that Google trusts.
    case subjectToken(SubjectTokenError)
    /// The credentials may not act as the service account.
    case impersonationRefused(ServiceAccountRefusal)
    /// Only the token that Google has just refused is available.
    case noOther
}

extension OutboundResponse {
    /// What an operator does about an answer that is not Google's.
    package static let adviceOnProxies =
        "If a proxy or a firewall answers in place of Google, let it pass the call."

    /// What Google says about a refusal: an error of OAuth 2.0 (RFC 6749 §5.2), an error of Google APIs, or a text.
    ///
    /// A word is left out if it is long, contains `apiKey` or has the form of an API key, because it could be a credential
    /// that is repeated. One with an e-mail address is left out too, and so is the full stop at the end, because the text is a
    /// part of other sentences.
    func googleWords(hiding apiKey: Secret? = nil) -> String? {
        let text: String
        if let json = try? JSON.parse(body) {
            let error = json["error"]
            let parts = [error?.string ?? error?["message"]?.string, json["error_description"]?.string]
            text = parts.compactMap(\.self).joined(separator: ": ")
        } else {
            guard let found = String(validating: body, as: UTF8.self), !body.isPage else { return nil }
            text = found
        }
        let visible = text.unicodeScalars.prefix(2000).map { $0.value > 0x20 && $0.value < 0x7F ? $0 : " " }
        let words = String(String.UnicodeScalarView(visible)).split(separator: " ").map { word in
            let isOwnKey = apiKey.map { word.contains($0.secretText) } ?? false
            let isHidden = isOwnKey || word.count > 80 || word.contains(/AIza|@|(?i:key[=:])/)
            return isHidden ? "[left out]" : word
        }
        let said = String(words.joined(separator: " ").prefix(400))
        return said.isEmpty ? nil : said.hasSuffix(".") ? String(said.dropLast()) : said
    }
}
