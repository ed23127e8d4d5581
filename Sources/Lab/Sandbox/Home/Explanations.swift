import Transport

/// What stands behind a refusal, in one sentence, by the `reason` that the server gives.
package enum Defence {
    /// Nil for a reason that is not known here: the server's own description then has to do.
    package static func sentence(for reason: String) -> String? { sentences[reason] }

    /// A provider's refusals carry no `reason`.
    static let ofProvider =
        "Here the provider itself refuses. It takes a code, a request token and a signature once, and no longer than they last."

    private static let sentences: [String: String] = [
        // Used before.
        "replayed":
            """
        Whatever proves a sign-in is good once: the server remembers that it was spent until it would have expired, \
        and a copy comes too late.
        """,
        "code_rejected":
            "The provider gives out tokens for a code once, and only to the client it was issued to.",
        // Of another application.
        "audience_mismatch":
            """
        The token was issued to another application: its aud does not name us, so whoever holds it cannot use it here, \
        however genuine it is.
        """,
        "audience_unverifiable":
            """
        A bare access token does not say for which application it was issued, so it could come from any of them, and \
        is no proof here.
        """,
        "token_rejected":
            "The provider does not know this token under our own consumer signature: it was issued to another application.",
        // Of another sign-in.
        "state_mismatch":
            """
        The callback is bound to the browser or session that began the sign-in; whoever only saw the URL has neither.
        """,
        "session_invalid":
            """
        The server opens only a session that it sealed itself, for this application and this provider; a changed one or one \
        of another application does not open.
        """,
        "callback_mismatch":
            "The URL is not the one that the sign-in was to come back to, so it is not read any further.",
        "intent_mismatch":
            "A sign-in that was begun to link or to reauthenticate ends only there, and one that was not never does.",
        "nonce_mismatch":
            """
        An ID token is taken only together with the secret whose hash it holds, so a token that leaked on its way is \
        worth nothing.
        """,
        "pkce_mismatch":
            "The code is bound to a secret that never left the application; whoever stole the code does not have it.",
        "at_hash_mismatch": "The access token beside the ID token is not the one that the ID token was issued with.",
        "issuer_mismatch":
            "Another issuer than the one we asked answered, so that one provider cannot speak for another's people.",
        "user_mismatch": "The identity is that of another account than the one that asks.",
        // Not genuine.
        "signature_invalid":
            """
        The signature does not hold over what the token says now: one changed letter is enough, and only the provider \
        could sign it again.
        """,
        "algorithm_not_allowed":
            "The server decides how a token must be signed; the token itself, which anybody can write, has no say in it.",
        "unknown_key": "The key that the token names is not among those that the provider publishes.",
        "malformed_token": "What came is no token of the kind that was announced.",
        // Too late, or too soon.
        "expired": "Its time is over, so that an old copy found in a log or a backup is worth nothing.",
        "expired_token": "The code was not confirmed in time, and a new one must be asked for.",
        "not_yet_valid": "It says that it was issued in the future, which no honest clock does.",
        "too_old": "It was issued too long ago to be a sign-in that happens now.",
        "lifetime_too_long": "It would be good for longer than spent tokens are remembered.",
        "fresh_login_unproven":
            "A fresh login was asked for, and nothing in the token shows one: the provider's session may be a year old.",
        "fresh_login_unavailable": "Nothing in this kind of credential can show that the person has just logged in.",
        // Not allowed to ask.
        "redirect_uri_not_allowed":
            "A code is sent only where the application registered, so that nobody has it sent to himself.",
        "pkce_required": "Every code must be bound to a secret of the application that asked for it.",
        "reserved_parameter": "The server sets this parameter itself, so that nobody can weaken a flow through it.",
        "parameter_not_allowed": "Only what the configuration lists is passed on to the provider.",
        "duplicate_parameter": "What is said twice could be read in two ways, so it is not read at all.",
        "unknown_client": "No application of this client_id is registered at the server.",
        "unauthorized_client": "The application is not registered for this way of signing in.",
        "unsupported_grant_type": "The server does not offer this way of signing in.",
        "unsupported_credential": "The provider's configuration does not take credentials of this kind.",
        "unknown_credential_type": "There is no credential of this type.",
        "unknown_provider": "No provider of this id is configured.",
        "provider_disabled": "The provider is switched off for this application.",
        "origin_not_allowed": "Web pages of this origin are not registered for the application.",
        "access_denied": "The person said no, and nobody is signed in.",
        "login_required": "The provider was to show no page, and without one it signs nobody in.",
        "account_selection_required": "The provider was to show no page, and cannot choose between two accounts.",
        "consent_required": "The provider was to show no page, and the person has not agreed to anything yet.",
        "interaction_required": "The provider was to show no page, and needs one.",
        "rate_limited": "One address may only try so often, so that nothing can be found by trying.",
        // Of the device grant.
        "authorization_pending":
            "Nobody has entered the code and confirmed it yet. This is no failure: the television asks again.",
        "slow_down":
            "The television asked again too soon, and now has to wait longer, so that nobody finds a code by asking fast.",
        // Not there.
        "not_found": "The server has nothing at this address.",
        "provider_unreachable": "The provider could not be reached, and without it nobody is signed in.",
        "provider_timeout": "The provider did not answer in time, and without it nobody is signed in.",
        "provider_error": "The provider answered with a failure, and without it nobody is signed in.",
        "provider_response_invalid": "The provider's answer is not what its standard says, so it is not believed.",
        "store_unavailable": "The server cannot write down what was spent, so it takes nothing.",
    ]
}

/// What an `audience_proof` says, in one sentence.
package enum AudienceProofNote {
    /// Nil for a proof that is not known here.
    package static func sentence(for proof: String) -> String? {
        switch proof {
        case "authorization_code":
            """
            The server redeemed the code with its own client credentials, and a provider redeems a code only for the \
            application it was issued to.
            """
        case "id_token_aud":
            "The ID token names this deployment’s own client id in aud, under the provider’s signature."
        case "consumer_signature":
            """
            X accepted the token under this deployment’s own consumer signature, which it does only for tokens that were \
            issued to it.
            """
        case "introspection":
            "The provider, asked about the token, named this deployment’s own client id."
        default: nil
        }
    }
}

extension TransportError {
    /// For people.
    var sentence: String {
        switch self {
        case .unreachable(let host): "Nobody answers at \(host)."
        case .untrusted(let host): "The certificate of \(host) is not trusted."
        case .timedOut(let host, _): "\(host) did not answer in time."
        case .interrupted(let host): "\(host) ended the connection before its answer was complete."
        case .tooLarge(let host): "The answer of \(host) is too long."
        case .notHTTP(let host): "What \(host) answered is not HTTP."
        case .refusedURL: "The request cannot be sent: it is not plain HTTP to this machine."
        case .overloaded(let host): "Too many requests wait for \(host)."
        case .cancelled: "The sandbox was stopped while it waited."
        }
    }
}
