internal import Jansson
internal import Providers
package import Standards

/// The response of a provider in the query of a redirect.
package enum CallbackResponse: Sendable {
    /// The response of OAuth 2.0 (RFC 6749 §4.1.2).
    case code(Secret)
    /// The response of OAuth 1.0a (RFC 5849 §2.2).
    case verifier(Secret)
    case refusal(ProviderRefusal)

    /// Reads the response to one authorization request.
    ///
    /// - Parameters:
    ///   - parameters: The query of the redirect.
    ///   - isSilent: Whether the request had `prompt=none`.
    /// - Throws: ``Refusal/stateMismatch`` if the response belongs to another flow or to none,
    ///   ``Refusal/malformedCallback(_:)`` if the parameters are not a response.
    package static func parse(
        _ parameters: Parameters, bound binding: FlowBinding, isSilent: Bool
    ) throws(Refusal) -> Self {
        guard !hasTokens(parameters) else { throw .malformedCallback(.token) }
        return switch binding {
        case .authorizationCode(let state, _, _, _): try code(parameters, state: Secret(state), isSilent: isSilent)
        case .temporaryCredentials(let identifier, _): try verifier(parameters, identifier: Secret(identifier))
        }
    }

    /// Whether a response contains tokens, which must not pass through a browser (RFC 9700 §2.1.2).
    static func hasTokens(_ parameters: Parameters) -> Bool {
        parameters["access_token"] != nil || parameters["id_token"] != nil
    }

    private static func code(
        _ parameters: Parameters, state: Secret, isSilent: Bool
    ) throws(Refusal) -> Self {
        // RFC 6749 §10.12: a response with another `state` belongs to another flow, or is forged.
        guard let answered = parameters["state"] else { throw .stateMissing(in: parameters) }
        guard Secret(answered).matches(state) else { throw .stateMismatch }
        // RFC 6749 §3.1: a parameter without a value counts as omitted.
        let code = parameters["code"].flatMap { $0.isEmpty ? nil : $0 }
        // LINE writes INVALID_REQUEST.
        switch (code, parameters["error"]?.lowercased()) {
        case (let code?, nil): return .code(Secret(code))
        case (_?, _?): throw .malformedCallback(.codeAndError)
        // RFC 6749 §4.1.2.1 defines the error codes. Apple and LinkedIn have codes of their own for "cancel".
        case (nil, "access_denied"?), (nil, "user_cancelled_authorize"?), (nil, "user_cancelled_login"?):
            return .refusal(.accessDenied)
        case (nil, "invalid_scope"?): return .refusal(.invalidScope)
        // Facebook sends no `error` for what is wrong with the registration, nor if the user cancels an old dialog.
        case (nil, nil) where parameters["error_reason"] == "user_denied": return .refusal(.accessDenied)
        case (nil, nil) where parameters.pairs.contains { CallbackURL.errorParameters.contains($0.name) }:
            return .refusal(.refusedByProvider(.unnamed))
        case (nil, let error?):
            let interaction = UnmetInteraction(rawValue: error)
            return .refusal(
                interaction.map { .interactionRequired($0, isSilent: isSilent) }
                    ?? .refusedByProvider(AuthorizationError(rawValue: error) ?? .other))
        case (nil, nil) where parameters["oauth_token"] != nil || parameters["oauth_verifier"] != nil:
            throw .malformedCallback(.verifierForCode)
        case (nil, nil): throw .malformedCallback(.noCode)
        }
    }

    private static func verifier(_ parameters: Parameters, identifier: Secret) throws(Refusal) -> Self {
        // X sends `denied` if the person pressed "cancel".
        if let denied = parameters["denied"] {
            guard Secret(denied).matches(identifier) else { throw .stateMismatch }
            return .refusal(.accessDenied)
        }
        // Only the request token shows that the response belongs to this flow. If another one were accepted, an attacker
        // could make a person continue the attacker's flow (session fixation).
        guard let answered = parameters["oauth_token"], Secret(answered).matches(identifier)
        else { throw .stateMismatch }
        guard let verifier = parameters["oauth_verifier"], !verifier.isEmpty else {
            throw .malformedCallback(parameters["code"] == nil ? .noVerifier : .codeForVerifier)
        }
        return .verifier(Secret(verifier))
    }
}

/// The values that bind one flow: its authorization request, the provider's response, and the tokens.
package enum FlowBinding: Sendable {
    /// `state` protects against forged callbacks, `nonce` and PKCE against injected codes.
    case authorizationCode(state: String, nonce: String?, codeVerifier: String?, maximumAge: Int64?)
    /// OAuth 1.0a has no `state`: the request token itself is the binding.
    case temporaryCredentials(identifier: String, sharedSecret: String)

    /// The value that the response will contain: `state`, or the request token.
    var handle: String {
        switch self {
        case .authorizationCode(let state, _, _, _): state
        case .temporaryCredentials(let identifier, _): identifier
        }
    }

    var members: [String: JSON] {
        var members: [String: JSON] = [:]
        switch self {
        case .authorizationCode(let state, let nonce, let codeVerifier, let maximumAge):
            members["state"] = .string(state)
            members["nonce"] = nonce.map(JSON.string)
            members["code_verifier"] = codeVerifier.map(JSON.string)
            members["max_age"] = maximumAge.map(JSON.integer)
        case .temporaryCredentials(let identifier, let sharedSecret):
            members["oauth_token"] = .string(identifier)
            members["oauth_token_secret"] = .string(sharedSecret)
        }
        return members
    }

    init?(_ content: JSON) {
        if let state = content["state"]?.string {
            self = .authorizationCode(
                state: state, nonce: content["nonce"]?.string, codeVerifier: content["code_verifier"]?.string,
                maximumAge: content["max_age"]?.integer)
        } else if let identifier = content["oauth_token"]?.string,
            let sharedSecret = content["oauth_token_secret"]?.string
        {
            self = .temporaryCredentials(identifier: identifier, sharedSecret: sharedSecret)
        } else {
            return nil
        }
    }
}

/// The error that a provider returned to an authorization request (RFC 6749 §4.1.2.1).
package enum ProviderRefusal: Equatable, Sendable {
    /// The person refused, or the provider did on their behalf.
    case accessDenied
    /// The provider does not grant a scope that was requested.
    case invalidScope
    /// The provider, or this server, has to show the person a page first.
    ///
    /// - isSilent: Whether the request had `prompt=none`, which forbade the page.
    case interactionRequired(UnmetInteraction, isSilent: Bool)
    /// Any other error.
    case refusedByProvider(AuthorizationError)
}

/// The errors of an authorization response (RFC 6749 §4.1.2.1) that concern neither the person nor a scope.
package enum AuthorizationError: String, Equatable, Sendable, AdvisingCause {
    case invalidRequest = "invalid_request"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedResponseType = "unsupported_response_type"
    case invalidClient = "invalid_client"
    case redirectURIMismatch = "redirect_uri_mismatch"
    case applicationSuspended = "application_suspended"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"
    /// Its text is only in ``Refusal/words``, because the browser sends the callback.
    case other = "another error"
    /// The callback has other parameters that describe an error, and no `error`.
    case unnamed = "an error, and without the parameter error"

    package var advice: String? {
        switch self {
        case .redirectURIMismatch: ClientRefusal.callbackNotApproved.advice
        case .applicationSuspended: ClientRefusal.suspended.advice
        case .serverError, .temporarilyUnavailable: "Look for the cause in the provider's log, or try again later."
        case .invalidRequest, .unauthorizedClient, .unsupportedResponseType, .invalidClient, .other, .unnamed:
            "Look for what the provider says in its documentation. If it names no cause: compare client_id, and the redirect URI that "
                + "token-exchange doctor prints, with the registration at the provider, allow the authorization code flow "
                + "(response type code) there, and try the other value of pkce, if the section has it."
        }
    }
}

extension ProviderRefusal {
    package var refusal: Refusal {
        switch self {
        case .accessDenied:
            Refusal(
                .accessDenied, "The user or the provider denied the access. Begin again only if the user wants to.")
        case .invalidScope:
            Refusal(
                .invalidScope,
                "The provider does not grant a scope. Request only scopes that the registration at the provider allows."
            )
        case .interactionRequired(let interaction, isSilent: true):
            Refusal(interaction.reason, "A page has to be shown to the user first. Begin again without prompt=none.")
        case .interactionRequired(let interaction, isSilent: false):
            Refusal(
                interaction.reason,
                "The provider ended the sign-in, because the user has to complete its pages. Begin again.",
                finding: "the provider sent the browser back with \(interaction.rawValue), without prompt=none",
                cause: UnaskedInteraction())
        case .refusedByProvider(let error):
            Refusal(
                .providerError,
                "The provider ended the sign-in with an error. Begin again. If it happens again, the operator must act, see the server "
                    + "log.",
                finding: "the provider sent the browser back with \(error.rawValue)", cause: error)
        }
    }
}

/// Why the provider has to show a page before it returns a code (OpenID Connect Core §3.1.2.6).
///
/// A provider may return it only to a request with `prompt=none`. Some providers also do without it.
package enum UnmetInteraction: String, Sendable {
    case login = "login_required"
    case accountSelection = "account_selection_required"
    case consent = "consent_required"
    case interaction = "interaction_required"

    package var reason: Reason {
        switch self {
        case .login: .loginRequired
        case .accountSelection: .accountSelectionRequired
        case .consent: .consentRequired
        case .interaction: .interactionRequired
        }
    }
}

/// A provider ends a sign-in for which it could have shown its pages.
private struct UnaskedInteraction: AdvisingCause {
    var advice: String? {
        "If each sign-in at this provider ends so, look for what the provider says in its documentation: its settings may demand a consent "
            + "that only an administrator can give, or a login that its pages do not offer to this client."
    }
}

/// The scopes of an authorization request that a provider refuses with `invalid_scope`.
package struct RefusedScopes: AdvisingCause, Equatable {
    /// The scopes that the configuration requests.
    let configured: [String]
    /// The scopes that the application requested beside them; `nil` if they are not known.
    let requested: [String]?
    /// `scopes_supported` of the provider's metadata; `nil` if it names none.
    let supported: [String]?

    /// Reads what a request to a provider contained.
    package init(configured: [String], requested: [String]?, supported: [String]?) {
        self.configured = configured
        self.requested = requested
        self.supported = supported
    }

    /// What was requested, and what the provider knows, for an operator.
    package var sentence: String {
        "the provider refuses a scope of \(Self.list(configured))"
            + (requested ?? []).map { ", or of \($0.shown), which the application requests" }.joined()
            + (supported.map { "; its metadata names \(Self.list($0))" } ?? "")
    }

    package var advice: String? {
        "Write scopes with only those that the provider's metadata and documentation name for this client, or allow the others in its "
            + "registration. If the application requests others, it has to leave them out."
    }

    private static func list(_ scopes: [String]) -> String {
        scopes.isEmpty ? "no scope" : scopes.prefix(20).map(\.shown).joined(separator: " ")
    }

    /// The refusal, whose text sends the application to its own scopes unless it has requested none.
    package var refusal: Refusal {
        let description =
            requested == []
            ? "The provider does not grant a scope that this server requests. The operator must change scopes of the provider, "
                + "see the server log."
            : ProviderRefusal.invalidScope.refusal.description
        return Refusal(.invalidScope, description, finding: sentence, cause: self).concerningOperator
    }
}
