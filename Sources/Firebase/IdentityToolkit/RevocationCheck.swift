package import JOSE

extension IdentityToolkit {
    /// Whether a session that Firebase's signature vouches for still counts (Firebase's `checkRevoked`).
    ///
    /// Asked anew each time, so that a disabled user is out at once.
    ///
    /// - `authenticatedAt`: the ID token's `auth_time`. Node compares it, others the later `iat`; this is the stricter.
    package func check(
        _ uid: String, authenticatedAt: NumericDate
    ) async throws(IdentityToolkitError) -> SessionStanding {
        try await user(uid)?.standing(authenticatedAt: authenticatedAt) ?? .unknownUser
    }
}

extension FirebaseUserRecord {
    /// What a session of this user is worth that began at `authenticatedAt`.
    package func standing(authenticatedAt: NumericDate) -> SessionStanding {
        if isDisabled { return .disabled }
        if let validSince, authenticatedAt < validSince { return .revoked }
        return hasSecondFactor ? .secondFactorEnrolled : .valid
    }
}

/// What a session is worth now.
package enum SessionStanding: Sendable, Equatable {
    case valid
    /// As good as valid; but no custom token may be made for this user, since it would pass by the second factor.
    case secondFactorEnrolled
    case revoked
    case disabled
    case unknownUser
}
