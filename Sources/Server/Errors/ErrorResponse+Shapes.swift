extension ErrorResponse {
    static let userDisabled = Self(
        403, "access_denied", .userDisabled,
        "An administrator has disabled the account. Only the operator can enable it.")

    static let secondFactorRequired = Self(
        403, "access_denied", .secondFactorRequired,
        "The Firebase user has a second factor, which a custom token would bypass. Sign in with Firebase's SDK."
    )

    /// RFC 6750 §3.
    static func bearer(_ reason: Reason, _ description: String) -> Self {
        var answer = Self(401, "invalid_token", reason, description)
        answer.challenge =
            reason == .idTokenMissing
            ? "Bearer realm=\"token-exchange\"" : "Bearer realm=\"token-exchange\", error=\"invalid_token\""
        return answer
    }

    static func invalidRequest(_ reason: Reason, _ description: String) -> Self {
        invalidRequest(400, reason, description)
    }

    static func invalidRequest(_ status: Int, _ reason: Reason, _ description: String) -> Self {
        Self(status, "invalid_request", reason, description)
    }

    /// Names the parameter as the request did, if its name may be repeated.
    static func invalidRequest(_ reason: Reason, _ description: String, parameter: String) -> Self {
        var answer = invalidRequest(400, reason, description)
        answer.parameter = ParameterName(parameter)
        return answer
    }

    static func invalidGrant(_ reason: Reason, _ description: String) -> Self {
        Self(400, "invalid_grant", reason, description)
    }

    /// RFC 6749 §5.2: a client that tried to authenticate by the header field is told how in the same way.
    static func clientAuthentication(byHeader: Bool) -> Self {
        var answer = Self(
            401, "invalid_client", .unknownClient,
            "Clients are public here. Send client_id in the form, and no Authorization field and no secret.")
        if byHeader { answer.challenge = "Basic realm=\"token-exchange\"" }
        return answer
    }

    static let replayed = Self(
        400, "invalid_grant", .replayed, "This credential was already used. Sign in at the provider again.")

    /// A 400 that carries `retry`: the request is right, and the credential may be; only its age is in the way.
    static let issuedUnwatched = Self(
        400, "invalid_grant", .issuedUnwatched,
        "This credential was issued before the server began to record what is used, or while it did not. Sign in at the "
            + "provider again.", retry: .restart)

    static let internalError = Self(
        500, "server_error", .internal,
        "The server failed. Tell the operator the request_id, which is in the server's log.",
        retry: .restart)

    /// `temporarily_unavailable` is registered for redirects (RFC 6749 §4.1.2.1); beside a 5xx it is our choice.
    static func provider(
        _ status: Int, _ reason: Reason, _ description: String, _ retry: Retry, retryAfter: Int64? = nil
    ) -> Self {
        Self(status, "temporarily_unavailable", reason, description, retry: retry, retryAfter: retryAfter)
    }

    static func unavailable(_ reason: Reason, _ description: String, _ retry: Retry) -> Self {
        Self(503, "temporarily_unavailable", reason, description, retry: retry, retryAfter: 1)
    }
}
