package import Stores

extension StoreError {
    /// What an error of Identity Toolkit means to who asked the directory for a change.
    package init(_ error: IdentityToolkitError) {
        switch error {
        case .outcomeUnknown, .malformedAnswer:
            self = .outcomeUnknown(.directoryUnreachable)
        case .unreachable, .unavailable, .accessToken(.unreachable), .accessToken(.malformed):
            self = .unavailable(.directoryUnreachable)
        case .busy, .accessToken(.busy):
            self = .unavailable(.directoryBusy)
        case .accessToken, .unauthenticated, .permissionDenied, .notConfigured, .rejected, .invalidCustomToken,
            .credentialMismatch, .tenantMismatch:
            self = .unavailable(.directoryRefused)
        case .userNotFound, .userDisabled, .emailExists, .duplicateLocalID, .federatedIDTaken:
            // Somebody else changed the user while we looked: asked again, the directory sees it.
            self = .unavailable(.directoryBusy)
        }
    }

    /// The same, to who only looked: whatever came back, nothing was written.
    package init(ofLookup error: IdentityToolkitError) {
        self = error == .malformedAnswer ? .unavailable(.directoryUnreachable) : Self(error)
    }
}
