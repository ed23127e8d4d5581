internal import OAuth

/// The response of a provider in the query of a redirect.
enum CallbackResponse {
    /// The response of OAuth 2.0 (RFC 6749 §4.1.2).
    case code(Secret)
    /// The response of OAuth 1.0a (RFC 5849 §2.2).
    case verifier(Secret)
    case refusal(ProviderRefusal)

    /// Reads the response to one authorization request.
    ///
    /// - Parameters:
    ///   - parameters: The query of the redirect.
    ///   - binding: The binding of the request.
    ///   - isSilent: Whether the request had `prompt=none`.
    /// - Returns: The response.
    /// - Throws: ``CallbackError/stateMismatch`` if the response belongs to another flow or to none,
    ///   ``CallbackError/malformedCallback`` if the parameters are not a response.
    static func parse(
        _ parameters: Parameters, bound binding: SealedSession.Binding, isSilent: Bool
    ) throws(CallbackError) -> Self {
        // RFC 9700 §2.1.2: a redirect must not contain tokens.
        guard parameters["access_token"] == nil, parameters["id_token"] == nil else { throw .malformedCallback }
        return switch binding {
        case .authorizationCode(let state, _, _, _): try code(parameters, state: Secret(state), isSilent: isSilent)
        case .temporaryCredentials(let identifier, _): try verifier(parameters, identifier: Secret(identifier))
        }
    }

    private static func code(
        _ parameters: Parameters, state: Secret, isSilent: Bool
    ) throws(CallbackError) -> Self {
        // RFC 6749 §10.12: a response with another `state` belongs to another flow, or is forged.
        guard let answered = parameters["state"], Secret(answered).matches(state) else { throw .stateMismatch }
        switch (parameters["code"], parameters["error"]) {
        case (let code?, nil) where !code.isEmpty: return .code(Secret(code))
        // RFC 6749 §4.1.2.1 defines the error codes.
        case (nil, "access_denied"?): return .refusal(.accessDenied)
        case (nil, "invalid_scope"?): return .refusal(.invalidScope)
        case (nil, let error?):
            let interaction = UnmetInteraction(rawValue: error)
            return .refusal(
                interaction.map { .interactionRequired($0, isSilent: isSilent) } ?? .refusedByProvider)
        default: throw .malformedCallback
        }
    }

    private static func verifier(_ parameters: Parameters, identifier: Secret) throws(CallbackError) -> Self {
        // X sends `denied` if the person pressed "cancel".
        if let denied = parameters["denied"] {
            guard Secret(denied).matches(identifier) else { throw .stateMismatch }
            return .refusal(.accessDenied)
        }
        // Only the request token shows that the response belongs to this flow. If another one were accepted, an attacker
        // could make a person continue the attacker's flow (session fixation).
        guard let answered = parameters["oauth_token"], Secret(answered).matches(identifier)
        else { throw .stateMismatch }
        guard let verifier = parameters["oauth_verifier"], !verifier.isEmpty else { throw .malformedCallback }
        return .verifier(Secret(verifier))
    }
}
