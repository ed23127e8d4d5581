internal import JOSE
internal import Jansson
internal import Providers
package import Standards
internal import Stores
internal import Transport

/// The token endpoint's response (RFC 6749 §5).
struct TokenResponse {
    let accessToken: AccessToken
    let idToken: UnverifiedIDToken?
    let refreshToken: RefreshToken?
    let expiresIn: Int64?
    let scope: String?

    /// Reads a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - codes: The provider's own error codes.
    /// - Returns: The tokens.
    /// - Throws: ``Refusal/codeRejected`` for a 4xx, unless it refuses this server's client or the person's account;
    ///   otherwise `ProviderFailure`.
    static func parse(_ response: OutboundResponse, codes: ErrorCodes) throws -> Self {
        guard response.status == 200 else { throw refusal(response, codes) }
        return try success(response.jsonObject())
    }

    private static func success(_ answer: JSON) throws(ProviderFailure) -> Self {
        guard answer["error"] == nil else { throw .malformedResponse("error beside status 200") }
        guard let accessToken = text("access_token", in: answer, upTo: 16 * 1024)
        else { throw .malformedResponse("access_token") }
        // RFC 6749 §5.1: the value is case-insensitive. §7.1: a client must not use a token of an unknown type.
        guard answer["token_type"]?.string?.lowercased() == "bearer" else { throw .malformedResponse("token_type") }
        for member in ["id_token", "refresh_token", "scope"] where answer[member] != nil {
            guard answer[member]?.string != nil else { throw .malformedResponse(member) }
        }
        if let lifetime = answer["expires_in"] {
            guard let seconds = lifetime.integer, seconds >= 0 else { throw .malformedResponse("expires_in") }
        }
        return Self(
            accessToken: AccessToken(accessToken),
            idToken: answer["id_token"]?.string.map(UnverifiedIDToken.init),
            refreshToken: text("refresh_token", in: answer, upTo: 16 * 1024).map(RefreshToken.init),
            expiresIn: answer["expires_in"]?.integer,
            scope: answer["scope"]?.string)
    }

    private static func text(_ member: String, in answer: JSON, upTo maximumBytes: Int) -> String? {
        guard let text = answer[member]?.string, (1...maximumBytes).contains(text.utf8.count) else { return nil }
        return text
    }

    private static func refusal(_ response: OutboundResponse, _ codes: ErrorCodes) -> any Error {
        let failure = ProviderFailure(response, codes: codes)
        guard case .failed(status: 400..<500) = failure, !failure.isPassing else { return failure }
        // Providers write their error codes in upper or lower case, and use different ones for a bad authorization
        // code: X sends invalid_request. Every 4xx counts as a bad code, unless its error code concerns the client.
        let code = (try? JSON.parse(response.body))?["error"]?.string?.lowercased() ?? ""
        return clientFaults.contains(code) ? ProviderFailure.refusedClient(.credentials) : Refusal.codeRejected
    }

    private static let clientFaults: Set<String> = [
        "invalid_client", "unauthorized_client", "invalid_client_secret", "invalid_consumer_key",
        "deleted_consumer_key", "disabled_consumer_key", "unsupported_grant_type",
    ]
}

extension Refusal {
    package static let codeRejected = Refusal(
        .codeRejected,
        "The provider rejected the code: it is wrong, expired or used, or belongs to another redirect_uri or "
            + "code_verifier. Sign in at the provider again.")
}

/// The HTTP request that redeems a grant (RFC 6749 §4.1.3).
enum TokenRequest {
    static func make(
        _ grant: borrowing AuthorizationGrant, endpoint: String, clientID: String,
        authentication: ClientAuthentication, timeout: Duration
    ) -> OutboundRequest {
        var form: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"),
            ("code", grant.code.secretText),
            ("redirect_uri", grant.redirectURI),
        ]
        if let verifier = grant.codeVerifier {
            // RFC 7636 §4.5.
            form.append(("code_verifier", verifier.secret.secretText))
        }
        return .post(endpoint, form: form, clientID: clientID, authentication: authentication, timeout: timeout)
    }
}
