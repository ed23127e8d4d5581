internal import Foundation

/// A flow through the pages of the server: an authorization request with PKCE (RFC 6749 §4.1, RFC 7636) and its redirect.
struct AuthorizationFlow: Sendable {
    /// The authorization code, and what its redemption needs.
    struct Grant: Sendable {
        let code: String
        let redirectURI: String
        let codeVerifier: String
    }

    /// What a flow is for, if it does not sign in.
    enum Intent: String, Sendable { case link, reauthenticate }

    let clientID: String
    let provider: Provider
    let scopes: [String]
    /// Parameters for the provider and the pages of the server.
    let parameters: [String: String]
    let intent: Intent?
    let api: ServerAPI
    private let state = ProofKey.randomText()
    private let proofKey = ProofKey()

    /// Shows the pages to the user.
    ///
    /// - Parameter browser: The browser; `nil` if the application has none.
    /// - Throws: The error of the browser, of the server, or of the redirect.
    func grant(in browser: Browser?) async throws(TokenExchangeError) -> Grant {
        guard let browser else {
            throw TokenExchangeError(
                .browserFailed, code: "auth/operation-not-supported-in-this-environment",
                "No browser is configured. Make the client with one, or use deviceSignIn(with:scopes:).")
        }
        let redirect: Redirect
        do {
            redirect = try await browser.run(
                BrowserFlow(state: state, timing: api.timing) { try await url(redirectURI: $0) })
        } catch {
            throw TokenExchangeError(browser: error)
        }
        return Grant(
            code: try code(in: redirect.url), redirectURI: redirect.uri, codeVerifier: proofKey.verifier)
    }

    /// Returns the URL to open.
    ///
    /// A flow with an intent is pushed together with the Firebase ID token (RFC 9126), so that no other account can
    /// finish it.
    private func url(redirectURI: String) async throws(TokenExchangeError) -> URL {
        var fields = parameters.merging(
            [
                "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI, "state": state,
                "code_challenge": proofKey.challenge, "code_challenge_method": "S256", "provider": provider.rawValue,
            ]
        ) { $1 }
        if !scopes.isEmpty { fields["scope"] = scopes.joined(separator: " ") }
        if let intent {
            fields["intent"] = intent.rawValue
            let pushed = try await api.send(
                .form("/par", fields.map { ($0, $1) }, isForUser: true), as: PushedRequestAnswer.self)
            fields = ["client_id": clientID, "request_uri": pushed.requestUri]
        }
        let query = FormEncoding.text(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        guard ServerAPI.isSecure(api.server), let url = URL(string: "\(api.issuer)/authorize?\(query)") else {
            throw .insecureServer
        }
        return url
    }

    /// Reads the authorization response.
    private func code(in redirect: URL) throws(TokenExchangeError) -> String {
        let response = RedirectParameters(redirect)
        guard response["state"] == state else {
            throw TokenExchangeError(
                "state_mismatch", code: "auth/invalid-credential", "The redirect belongs to another flow.")
        }
        // RFC 9207 §2.4: another server may have sent the browser here to obtain a code of this one.
        guard response["iss"] == api.issuer else {
            throw TokenExchangeError(
                "issuer_mismatch", code: "auth/invalid-credential",
                "The redirect came from another server than \(api.issuer), which must be its public_url.")
        }
        let code = response["code"]
        if let error = response["error"] {
            let refusal = TokenExchangeError(redirect: error, response["error_description"])
            // The code of a conflict that the page could not settle: `/token` returns the pending credential.
            guard refusal.reason == .accountExistsWithDifferentCredential, intent == nil, let code
            else { throw refusal }
            return code
        }
        guard let code else {
            throw .unexpectedResponse("The redirect contains neither a code nor an error.")
        }
        return code
    }
}

/// The query parameters of a redirect.
struct RedirectParameters: Sendable {
    private let values: [String: String]

    init(_ url: URL) {
        // URLComponents leaves a plus sign as it is; the server encodes spaces as %20 or +.
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQueryItems ?? []
        let pairs = items.map { item in
            (item.name, item.value?.replacingOccurrences(of: "+", with: " ").removingPercentEncoding)
        }
        // RFC 6749 §3.1: a parameter occurs once.
        values = Dictionary(pairs) { _, _ in nil }.compactMapValues(\.self)
    }

    subscript(name: String) -> String? { values[name] }
}

extension TokenExchangeError {
    static let insecureServer = Self(
        .insecureServer, code: "auth/argument-error",
        "The server's URL must be https, or http with a loopback address.")

    /// An error in a redirect (RFC 6749 §4.1.2.1).
    init(redirect error: String, _ description: String?) {
        let reason = Reason(rawValue: error)
        let code =
            switch reason {
            case .accessDenied: "auth/user-cancelled"
            case .accountExistsWithDifferentCredential: "auth/account-exists-with-different-credential"
            default: "auth/internal-error"
            }
        self.init(reason, code: code, description ?? "The server refused the sign-in.")
    }
}
