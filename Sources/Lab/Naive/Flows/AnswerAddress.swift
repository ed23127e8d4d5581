/// Where an application gets its answer (RFC 6749 section 4.1.2, RFC 9207 section 2).
struct AnswerAddress: Sendable {
    let redirectURI: String
    let state: String?
    let issuer: String

    func url(_ answer: [(name: String, value: String)]) -> String {
        var pairs = answer
        if let state { pairs.append(("state", state)) }
        pairs.append(("iss", issuer))
        return redirectURI + (redirectURI.contains("?") ? "&" : "?") + Form(pairs).encoded
    }

    /// Only some codes mean anything in a redirect (section 4.1.2.1).
    func url(_ refusal: Refusal) -> String {
        let registered =
            [
                "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
                "temporarily_unavailable",
            ] + Refusal.unmetInteractions
        let error = registered.contains(refusal.error) ? refusal.error : "server_error"
        return url([("error", error), ("error_description", refusal.sentence)])
    }
}
