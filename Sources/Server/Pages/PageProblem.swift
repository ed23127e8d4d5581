/// The problem that ended a flow, as far as the user can react to it.
package enum PageProblem: Sendable, Equatable, CaseIterable {
    /// The `client_id` is not configured.
    case unknownApplication
    /// The application requested a redirect URI that is not registered.
    case redirectNotAllowed
    /// The link is damaged.
    case malformedRequest
    /// There is no cookie: the flow is finished, its button was pressed, it is too old, or it was started in another browser, or the
    /// browser keeps no cookies. Or the `request_uri` is too old or unknown.
    case signInEnded
    /// The provider's response belongs to another sign-in.
    case stateMismatch
    /// Another browser has already confirmed this code.
    case deviceCodeTaken
    /// The code expired or was used while the user was at the provider, or the user has decided about the device before.
    case deviceCodeEnded
    /// The form of a page below `/device` is too old, damaged, or of another step or browser, or its browser sent no cookie. The code
    /// may still be valid.
    case deviceFormEnded
    /// The provider could not be reached, or its response is invalid.
    ///
    /// The code remains valid. Only for the device flow; in other flows the application receives the error.
    case providerFailed
    /// The user refused at the provider, and the device receives that result; or the provider has suspended the account of the user.
    /// Only for the device flow.
    case accessDenied
    /// The address belongs to another account, which the user did not prove. Only for the device flow.
    case accountExists
    /// There were too many wrong codes of a second factor.
    case secondFactorLocked
    /// The operator's hook refused, and the device receives that result; or the operator has disabled the account. Only for the device
    /// flow.
    case blockedByHook
    /// The application does not admit the address of the user, and the device receives that result. Only for the device
    /// flow.
    case emailDomainNotAllowed
    case tooManyRequests
    case unavailable
    case notFound
    /// The request has another method than the endpoint, or its target or header is too large.
    case methodNotAllowed
    /// The provider sent its response as a form that is not configured, to another path than that of the redirect URI, from another
    /// issuer, or without the parameters of a response, such as the code.
    case unusableResponse
    case internalError

    /// Whether the page has a link to the form for a code.
    var concernsDevice: Bool {
        switch self {
        case .deviceCodeTaken, .deviceCodeEnded, .deviceFormEnded, .providerFailed, .accessDenied, .accountExists,
            .blockedByHook,
            .emailDomainNotAllowed:
            true
        case .unknownApplication, .redirectNotAllowed, .malformedRequest, .signInEnded, .stateMismatch,
            .secondFactorLocked, .tooManyRequests, .unavailable, .notFound, .methodNotAllowed, .unusableResponse,
            .internalError:
            false
        }
    }
}
