internal import Flows
internal import Pages

extension PageProblem {
    /// What a person can do about it.
    init(_ error: RequestError) {
        self =
            switch error {
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .rateLimited: .tooManyRequests
            case .overloaded, .draining: .unavailable
            case .signIn(let error): Self(error)
            default: .malformedRequest
            }
    }

    private init(_ error: SignInError) {
        self =
            switch error {
            case .unknownClient, .grantNotAllowed: .unknownApplication
            case .redirectURINotAllowed: .redirectNotAllowed
            case .unknownBrowserFlow, .unknownRequestURI, .requestURIExpired, .requestURIReplayed,
                .device(.unknownForm), .device(.formExpired), .device(.formReplayed):
                .signInEnded
            case .callback(.expired), .callback(.replayed): .signInEnded
            case .refused(.accessDenied): .accessDenied
            case .refused(.refusedByProvider), .refused(.invalidScope), .refused(.interactionRequired):
                .providerFailed
            case .callback: .stateMismatch
            case .device(.takenUserCode): .deviceCodeTaken
            case .device: .deviceCodeEnded
            case .exchange, .verification: .providerFailed
            case .store, .account, .minting: .unavailable
            case .random: .internalError
            default: .malformedRequest
            }
    }
}
