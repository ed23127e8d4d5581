package import Firebase
package import JOSE
internal import OAuth
package import Stores

/// Tells whether a Firebase ID token speaks for its user.
package struct BearerCheck: Sendable {
    private let verifier: FirebaseIDTokenVerifier
    private let toolkit: IdentityToolkit?
    private let rules: AccountRules
    private let time: TimeSource

    /// - `toolkit`: whom to ask for revoked sessions; without it nobody can be.
    package init(
        verifier: FirebaseIDTokenVerifier, toolkit: IdentityToolkit?, rules: AccountRules, time: TimeSource
    ) {
        self.verifier = verifier
        self.toolkit = toolkit
        self.rules = rules
        self.time = time
    }

    /// Whether the configuration counts on Identity Toolkit.
    private var needsToolkit: Bool { rules.checksRevocation || rules.directoryIsFirebase }

    /// The user of a token of this project.
    ///
    /// - `tenants`: whose users may call; nil stands for users of no tenant.
    /// - `mayBeGone`: whether a user who is not there any more may call, as in ``requireValid(_:mints:mayBeGone:)``.
    func user(
        _ bearer: Secret?, tenants: [String?], mayBeGone: Bool = false
    ) async throws(BearerError) -> FirebaseUser {
        guard let bearer else { throw .missing }
        let user: FirebaseUser
        do {
            user = try await verifier.verify(bearer, tenants: tenants)
        } catch {
            throw .idToken(error)
        }
        if rules.checksRevocation { try await requireValid(user, mayBeGone: mayBeGone) }
        return user
    }

    func requireRecentLogin(_ user: FirebaseUser) throws(BearerError) {
        guard time.now() <= user.authenticatedAt + rules.recentLogin else { throw .requiresRecentLogin }
    }

    /// Asks whether the user's sessions were ended, where there is somebody to ask.
    ///
    /// - `mints`: whether a custom token is to come of it, which would pass by a second factor.
    /// - `mayBeGone`: whether a user who is not there any more is valid, so that a deletion that ended between Firebase
    ///   and the store can be asked for again.
    func requireValid(
        _ user: FirebaseUser, mints: Bool = false, mayBeGone: Bool = false
    ) async throws(BearerError) {
        guard let toolkit else { return }
        let standing: SessionStanding
        do {
            standing = try await toolkit.of(tenantID: user.tenantID)
                .check(user.uid, authenticatedAt: user.authenticatedAt)
        } catch .permissionDenied where !needsToolkit {
            // A service account that may only sign: it was never to ask.
            return
        } catch {
            throw .directory(StoreError(ofLookup: error))
        }
        switch standing {
        case .valid: return
        case .secondFactorEnrolled: if mints { throw .secondFactorEnrolled }
        case .revoked: throw .revoked
        case .unknownUser: if !mayBeGone { throw .gone }
        case .disabled: throw .disabled
        }
    }

    /// What Identity Toolkit says of a user who counts as anonymous, if it says that the user is not.
    ///
    /// - Returns: nil for a user who is anonymous there as well, and if Identity Toolkit may not be asked.
    func identified(_ user: FirebaseUser) async throws(BearerError) -> FirebaseUserRecord? {
        guard let found = try await found(user.uid, tenantID: user.tenantID) else { return nil }
        guard let record = found.first else { throw .gone }
        guard !record.isDisabled else { throw .disabled }
        // Such a user has to have signed in a moment ago, as for every account that is not anonymous.
        guard !record.hasIdentity else { return record }
        // Without that, a session that was ended would be good for the one thing that an anonymous account may always
        // do.
        if case .revoked = record.standing(authenticatedAt: user.authenticatedAt) { throw .revoked }
        return nil
    }

    /// Deletes the Firebase user of an account that goes.
    ///
    /// - Returns: ``FirebaseUserRemoval/kept`` also if there is no Identity Toolkit to ask.
    func removeUser(_ uid: String, tenantID: String?) async throws(BearerError) -> FirebaseUserRemoval {
        guard let toolkit else { return .kept }
        do {
            return try await toolkit.of(tenantID: tenantID).remove(uid, at: time.now())
        } catch {
            throw .directory(StoreError(error))
        }
    }

    /// Whether a user can sign in by something besides the given providers, as far as there is somebody to ask.
    ///
    /// - Throws: ``BearerError/disabled`` and ``BearerError/secondFactorEnrolled`` for who is to stay as they are.
    func hasOtherWayIn(
        _ uid: String, tenantID: String?, besides providers: Set<ProviderID>
    ) async throws(BearerError) -> Bool {
        guard let user = try await found(uid, tenantID: tenantID)?.first else { return false }
        guard !user.isDisabled else { throw .disabled }
        guard !user.hasSecondFactor else { throw .secondFactorEnrolled }
        return !user.waysIn.subtracting(providers).isEmpty
    }

    /// - Returns: the user, or none if there is no such user; nil if Identity Toolkit may not be asked.
    private func found(_ uid: String, tenantID: String?) async throws(BearerError) -> [FirebaseUserRecord]? {
        guard let toolkit else { return nil }
        do {
            return try await toolkit.of(tenantID: tenantID).lookup(uids: [uid])
        } catch .permissionDenied where !needsToolkit {
            return nil
        } catch {
            throw .directory(StoreError(ofLookup: error))
        }
    }
}

/// Why a Firebase ID token does not speak for its user.
package enum BearerError: Error, Equatable, Sendable {
    case missing
    case idToken(FirebaseTokenError)
    /// Its sessions were ended.
    case revoked
    /// Its account was deleted or merged into another one, or its user was deleted at Firebase.
    case gone
    case disabled
    case secondFactorEnrolled
    /// The person signed in too long ago for what is asked.
    case requiresRecentLogin
    /// Whether it was revoked cannot be told.
    case directory(StoreError)
}
