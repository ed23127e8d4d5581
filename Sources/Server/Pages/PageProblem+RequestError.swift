internal import Flows
internal import Pages
internal import Stores

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
            case .unknownBrowserFlow, .unknownRequestURI, .requestURIExpired,
                .singleUse(.replayed), .device(.unknownForm), .device(.formExpired), .device(.formReplayed):
                .signInEnded
            case .callback(.expired): .signInEnded
            case .refused(.accessDenied): .accessDenied
            case .refused(.refusedByProvider), .refused(.invalidScope), .refused(.interactionRequired):
                .providerFailed
            case .callback, .singleUse(.unwatched): .stateMismatch
            case .device(.takenUserCode): .deviceCodeTaken
            case .device: .deviceCodeEnded
            case .exchange, .verification: .providerFailed
            case .singleUse(.store), .store, .account, .minting: .unavailable
            case .sealing, .random: .internalError
            default: .malformedRequest
            }
    }
}
