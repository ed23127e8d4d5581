internal import Accounts
package import Firebase
package import JOSE
internal import Standards
internal import Stores

/// The check that the user of a Firebase ID token may call.
package struct FirebaseCallerAuthenticator: Sendable {
    private let verifier: FirebaseIDTokenVerifier
    private let toolkit: IdentityToolkit?
    private let rules: AccountRules
    private let time: TimeSource

    /// - Parameter toolkit: Looks up whether sessions were revoked; `nil` if Identity Toolkit cannot be called.
    package init(
        verifier: FirebaseIDTokenVerifier, toolkit: IdentityToolkit?, rules: AccountRules, time: TimeSource
    ) {
        self.verifier = verifier
        self.toolkit = toolkit
        self.rules = rules
        self.time = time
    }

    /// Whether the configuration requires answers of Identity Toolkit.
    private var needsToolkit: Bool { rules.checksRevocation || rules.directoryIsFirebase }

    /// Returns the user of a token of this project.
    ///
    /// - Parameters:
    ///   - bearer: The ID token; `nil` if the request has none.
    ///   - tenants: The tenants whose users may call. `nil` means users outside any tenant.
    ///   - isForChange: Whether the call changes the account, so that its flow checks the session in any case.
    /// - Throws: A refusal, `FirebaseTokenError`, or `StoreError` if Firebase does not respond.
    func user(
        _ bearer: Secret?, tenants: [String?], isForChange: Bool
    ) async throws -> FirebaseUser {
        guard let bearer else {
            throw Refusal.bearerMissing
        }
        let user = try await verifier.verify(bearer, tenants: tenants)
        if rules.checksRevocation, !isForChange { try await requireValid(user) }
        return user
    }

    func requireRecentLogin(_ user: FirebaseUser) throws {
        let (now, limit) = (time.now(), rules.recentLogin)
        guard now <= user.authenticatedAt + limit else {
            let age = now.seconds - user.authenticatedAt.seconds
            throw Refusal.loginTooOld.with(
                finding: "auth_time of the ID token is \(age) s ago, and accounts.recent_login is "
                    + "\(limit.components.seconds) s. If the user has just signed in, the application sent an earlier token, or "
                    + "the clock of this machine is ahead")
        }
    }

    /// Checks at Identity Toolkit that the user exists, is enabled, and was not signed out since the token was issued.
    ///
    /// Without Identity Toolkit every user passes, and so does every user of a service account that may not look up users,
    /// unless the configuration requires it.
    ///
    /// - Parameters:
    ///   - mints: Whether the request mints a custom token, which would bypass a second factor.
    ///   - mayBeGone: Whether a deleted user passes, so that a deletion that stopped between Firebase and the store can
    ///     be repeated.
    /// - Returns: The record of the user; `nil` if there is none, or if Identity Toolkit may not be called.
    /// - Throws: A refusal, `FirebaseTokenError`, or `StoreError` if Firebase does not respond.
    @discardableResult
    func requireValid(
        _ user: FirebaseUser, mints: Bool = false, mayBeGone: Bool = false
    ) async throws -> FirebaseUserRecord? {
        guard let found = try await found(user.uid, tenantID: user.tenantID) else { return nil }
        guard let record = found.first else {
            if mayBeGone { return nil }
            throw Refusal.accountGone
        }
        switch record.sessionState(authenticatedAt: user.authenticatedAt) {
        case .valid: break
        case .secondFactorEnrolled: if mints { throw Refusal.firebaseFactorEnrolled }
        case .revoked: throw Refusal.revoked
        case .disabled:
            throw Refusal.userDisabled.with(finding: "the user of the ID token is disabled at Firebase")
        }
        return record
    }

    /// Deletes the Firebase user of an account that is removed.
    ///
    /// - Returns: The outcome; ``FirebaseUserRemoval/kept`` also if Identity Toolkit cannot be called.
    /// - Throws: `StoreError`.
    func removeUser(_ uid: UID, tenantID: String?) async throws -> FirebaseUserRemoval {
        guard let toolkit else { return .kept }
        do {
            return try await toolkit.of(tenantID: tenantID).remove(uid, at: time.now())
        } catch {
            throw StoreError(error)
        }
    }

    /// Returns the record of a user who is not the caller, and whose account is about to be removed.
    ///
    /// - Returns: The record; `nil` if there is no user, or if Identity Toolkit may not be called.
    /// - Throws: A refusal for users who must not be changed, or `StoreError`.
    func recordOfOther(_ uid: UID, tenantID: String?) async throws -> FirebaseUserRecord? {
        guard let user = try await found(uid, tenantID: tenantID)?.first else { return nil }
        guard !user.isDisabled else {
            throw Refusal.userDisabled.with(finding: "the user of the other account is disabled at Firebase")
        }
        guard !user.hasSecondFactor else { throw Refusal.firebaseFactorEnrolled }
        return user
    }

    /// Returns the record of a user; `nil` if there is none, or if Identity Toolkit may not be called.
    func record(of user: FirebaseUser) async throws -> FirebaseUserRecord? {
        try await found(user.uid, tenantID: user.tenantID)?.first
    }

    /// Looks up a user at Identity Toolkit.
    ///
    /// - Returns: The user, or no element for an unknown uid; `nil` if Identity Toolkit may not be called.
    /// - Throws: `StoreError`.
    private func found(_ uid: UID, tenantID: String?) async throws -> [FirebaseUserRecord]? {
        guard let toolkit else { return nil }
        do {
            return try await toolkit.of(tenantID: tenantID).lookup(uids: [uid])
        } catch .permissionDenied where !needsToolkit {
            return nil
        } catch {
            throw StoreError(ofLookup: error)
        }
    }
}
