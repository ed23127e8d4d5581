/// What ended a visit, as far as a person can do something about it.
package enum PageProblem: Sendable, Equatable, CaseIterable {
    /// The `client_id` is not known here.
    case unknownApplication
    /// The application asked to be sent somewhere that it has not registered.
    case redirectNotAllowed
    /// The link is damaged.
    case malformedRequest
    /// No cookie: already used, older than ten minutes, or begun in another browser.
    case signInEnded
    /// The answer belongs to another sign-in.
    case stateMismatch
    /// Another browser has already confirmed this code.
    case deviceCodeTaken
    /// The code expired or was used while the person was away.
    case deviceCodeEnded
    /// The provider could not be asked, or answered badly. The code is as good as before. Device flow only: elsewhere
    /// the application is told.
    case providerFailed
    /// The person said no at the provider, and the device is told so. Device flow only.
    case accessDenied
    case tooManyRequests
    case unavailable
    case notFound
    case methodNotAllowed
    case internalError

    /// Whether the page offers the way back to the code field.
    var concernsDevice: Bool {
        switch self {
        case .deviceCodeTaken, .deviceCodeEnded, .providerFailed, .accessDenied: true
        case .unknownApplication, .redirectNotAllowed, .malformedRequest, .signInEnded, .stateMismatch,
            .tooManyRequests, .unavailable, .notFound, .methodNotAllowed, .internalError:
            false
        }
    }
}
