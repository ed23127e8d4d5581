import Transport

/// Explains refusals to users: one sentence for each `reason` that the server gives.
package enum Defence {
    /// Returns `nil` for an unknown reason; the page then shows the server's own description.
    package static func sentence(for reason: String) -> String? { sentences[reason] }

    /// The explanation of a refusal by the provider, which carries no `reason`.
    static let ofProvider =
        "The provider itself refuses this. It accepts a code, a request token or a signature only once, until it expires."

    private static let sentences: [String: String] = [
        // The credential was used before.
        "replayed":
            """
        Every proof of a sign-in is accepted once. The server remembers it until it would have expired, so a copy is \
        refused.
        """,
        "code_rejected":
            "The provider issues tokens for a code once, and only to the client that the code was issued to.",
        // The credential belongs to another application.
        "audience_mismatch":
            """
        The token was issued to another application: its aud does not name this deployment. It is genuine, but it cannot \
        be used here.
        """,
        "audience_unverifiable":
            """
        An access token does not say for which application it was issued. It could come from any application, so it proves \
        nothing here.
        """,
        "token_rejected":
            """
        The provider does not accept this token under our own consumer signature: it was issued to another application.
        """,
        // The message belongs to another sign-in.
        "state_mismatch":
            """
        The callback is bound to the browser or session that started the sign-in. An attacker who only has the URL has \
        neither.
        """,
        "session_invalid":
            """
        The server opens only a session that it sealed itself, for this application and this provider. It does not open \
        a changed session, or the session of another application.
        """,
        "callback_mismatch":
            "The URL is not the redirect URI of this sign-in, so the server does not read it further.",
        "intent_mismatch":
            "A sign-in that was started to link or to reauthenticate can only do that, and no other sign-in can do it.",
        "nonce_mismatch":
            """
        An ID token is accepted only together with the secret whose hash it contains. A token that leaked is worth nothing \
        by itself.
        """,
        "pkce_mismatch":
            "The code is bound to a secret that never left the application. An attacker who stole the code does not have it.",
        "at_hash_mismatch": "The access token is not the one that was issued together with the ID token.",
        "issuer_mismatch":
            "The answer came from another issuer. One provider must not speak for the users of another.",
        "user_mismatch": "The identity belongs to another account than the caller’s.",
        // The token is not genuine.
        "signature_invalid":
            """
        The signature does not match the contents of the token. One changed letter is enough, and only the provider could \
        sign it again.
        """,
        "algorithm_not_allowed":
            """
        The server decides how a token must be signed. The token’s own header does not count, because an attacker can write \
        any header.
        """,
        "unknown_key": "The provider publishes no key with the id that the token names.",
        "malformed_token": "The text is not a token of the announced kind.",
        // The time is wrong.
        "expired": "It has expired, so an old copy from a log or a backup is worth nothing.",
        "expired_token": "The code was not confirmed in time. The device must request a new one.",
        "not_yet_valid": "Its issue time is in the future, which an honest clock does not produce.",
        "too_old": "It was issued too long ago to prove that the user signs in now.",
        "lifetime_too_long": "It would stay valid for longer than the server remembers used tokens.",
        "fresh_login_unproven":
            """
        The application asked for a fresh login, and the token does not prove one: the session at the provider may be a \
        year old.
        """,
        "fresh_login_unavailable": "A credential of this kind cannot prove that the user has just logged in.",
        // The request is not allowed.
        "redirect_uri_not_allowed":
            "A code is sent only to registered addresses, so that an attacker cannot have it sent elsewhere.",
        "pkce_required": "Every code must be bound to a secret of the application that requested it.",
        "reserved_parameter": "The server sets this parameter itself, so that an application cannot weaken a flow.",
        "parameter_not_allowed": "Only the parameters in the configuration are passed on to the provider.",
        "duplicate_parameter": "Two parsers could read a repeated parameter in two ways, so it is refused.",
        "unknown_client": "No application with this client_id is registered at the server.",
        "unauthorized_client": "The application is not registered for this way of signing in.",
        "unsupported_grant_type": "The server does not offer this way of signing in.",
        "unsupported_credential": "The configuration of the provider does not accept credentials of this kind.",
        "unknown_credential_type": "There is no credential of this type.",
        "unknown_provider": "No provider with this id is configured.",
        "provider_disabled": "The provider is disabled for this application.",
        "origin_not_allowed": "Web pages of this origin are not registered for the application.",
        "account_gone":
            "The account was deleted, and no session of it may change anything. Its uid is never assigned again.",
        "id_token_revoked":
            "The user signed out everywhere after this session began, so the session may not change the account any more.",
        "TOKEN_EXPIRED": "Firebase refuses the refresh token of a session that a sign-out has ended.",
        "credential_already_in_use":
            """
        The identity belongs to another account. An account never takes an identity from another one unless the person has \
        proven both.
        """,
        "second_factor_required":
            "The account has a second factor. A session that has not proven it must not change the account.",
        "second_factor_invalid":
            """
        A code works once, and only near its time. The server does not say whether a code is wrong or was used, so that an \
        attacker learns nothing.
        """,
        "second_factor_locked":
            "Five wrong codes in a row lock the factors of the account for 15 minutes, and longer each time.",
        "no_such_factor": "The factor was confirmed before, so that its secret cannot be confirmed once more.",
        "access_denied": "The user refused, so no one is signed in.",
        "login_required": "The provider had to answer without showing a page, and the user has no session there.",
        "account_selection_required":
            "The provider had to answer without showing a page, and cannot choose between two accounts.",
        "consent_required": "The provider had to answer without showing a page, and the user has not consented yet.",
        "interaction_required": "The provider had to answer without showing a page, but it must show one.",
        "rate_limited": "Attempts per address are limited, so that an attacker cannot find a secret by guessing.",
        // Answers of the device grant.
        "authorization_pending":
            "The user has not confirmed the code yet. This is not a failure: the television asks again.",
        "slow_down":
            """
        The television asked too soon, and must now wait longer. The interval limits the load of televisions that wait \
        (RFC 8628 §3.5).
        """,
        // Something is unavailable.
        "not_found": "The server has nothing at this address.",
        "provider_unreachable": "The provider could not be reached, and the sign-in needs it.",
        "provider_timeout": "The provider did not answer in time, and the sign-in needs it.",
        "provider_error": "The provider answered with a failure, and the sign-in needs it.",
        "provider_response_invalid":
            "The answer of the provider does not follow its standard, so the server rejects it.",
        "store_unavailable": "The server cannot record which credentials are used, so it accepts none.",
    ]
}

/// Explains each value of `audience_proof` in one sentence.
package enum AudienceProofNote {
    /// Returns `nil` for an unknown value.
    package static func sentence(for proof: String) -> String? {
        switch proof {
        case "authorization_code":
            """
            The server redeemed the code with its own client credentials. A provider redeems a code only for the \
            application that it was issued to.
            """
        case "id_token_aud":
            "The aud of the ID token, which the provider signed, names this deployment’s own client id."
        case "consumer_signature":
            """
            X accepted the token under this deployment’s own consumer signature. It does so only for tokens that were \
            issued to it.
            """
        case "introspection":
            "The provider introspected the token and named this deployment’s own client id."
        default: nil
        }
    }
}

extension TransportError {
    /// Explains the error to users.
    var sentence: String {
        switch self {
        case .unreachable(let host, _, _, _): "No server answers at \(host)."
        case .untrusted(let host, _): "The certificate of \(host) is not trusted."
        case .timedOut(let host, _, _): "\(host) did not answer in time."
        case .interrupted(let host): "\(host) closed the connection before its answer was complete."
        case .tooLarge(let host): "The answer of \(host) is too long."
        case .notHTTP(let host, _): "The answer of \(host) is not HTTP."
        case .refusedURL: "The request cannot be sent: its URL is not plain HTTP to this machine."
        case .proxyFailed(let proxy, let host, _, _): "The proxy \(proxy) does not connect to \(host)."
        case .overloaded(let host): "Too many requests to \(host) are waiting."
        case .circuitOpen(let peer, _): "Several requests to \(peer) failed."
        case .cancelled: "The sandbox was stopped before the answer came."
        }
    }
}
