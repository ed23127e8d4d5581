internal import OAuth
internal import Providers
internal import Transport

/// A grant as the HTTP request that redeems it (RFC 6749 §4.1.3).
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
