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
        guard let user = try await user(uid) else { return .unknownUser }
        if user.isDisabled { return .disabled }
        if let validSince = user.validSince, authenticatedAt < validSince { return .revoked }
        return user.hasSecondFactor ? .secondFactorEnrolled : .valid
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
