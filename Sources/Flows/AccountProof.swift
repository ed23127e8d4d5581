package import OAuth

/// What shows that an identity is the caller's, too.
package enum AccountProof: Sendable {
    case credential(ExchangeRequest)
    /// Of a browser flow that was pushed with the same intent.
    case handoff(client: ClientID, code: Secret, redirectURI: String, codeVerifier: Secret)

    package var client: ClientID {
        switch self {
        case .credential(let request): request.client
        case .handoff(let client, _, _, _): client
        }
    }
}
