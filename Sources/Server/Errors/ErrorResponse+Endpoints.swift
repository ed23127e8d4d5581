internal import OAuth

extension ErrorResponse {
    /// At `/token` every 403 and 409 is a 400 (RFC 6749 §5.2), and a bad subject token is `invalid_request` (RFC 8693
    /// §2.2.2).
    func atTokenEndpoint(of grant: GrantType?) -> ErrorResponse {
        let isSubjectToken = grant == .tokenExchange && error == "invalid_grant"
        // A copy, so that no further member of the answer is lost on the way.
        var answer = self
        if [403, 409].contains(status) { answer.status = 400 }
        if isSubjectToken { answer.error = "invalid_request" }
        return answer
    }

    /// The `error` of a redirect to the application: only these are registered for it (RFC 6749 §4.1.2.1, OpenID
    /// Connect Core §3.1.2.6).
    var redirectError: String {
        let registered = [
            "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
            "temporarily_unavailable", "login_required", "account_selection_required", "consent_required",
            "interaction_required",
        ]
        return registered.contains(error) ? error : "server_error"
    }

    /// The status of a page: 400 for what is wrong with a link or a form, whatever it would be for a program.
    var pageStatus: Int {
        [401, 403, 409].contains(status) ? 400 : status
    }
}
