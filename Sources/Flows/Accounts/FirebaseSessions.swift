internal import Firebase
internal import JOSE
internal import SecondFactors
internal import Standards
internal import Stores

/// The sessions of users at Firebase, which a sign-out or an event of a provider ends.
struct FirebaseSessions: Sendable {
    /// `nil` if Identity Toolkit cannot be called.
    let toolkit: IdentityToolkit?
    let secondFactors: SecondFactors
    let rules: AccountRules
    let time: TimeSource

    /// Ends the sessions of a user, and removes the second factor that waits for its confirmation.
    ///
    /// A factor that a thief's session began must not be confirmed afterwards, even if the sessions cannot be ended. If it
    /// cannot be removed, the sessions end nevertheless.
    ///
    /// - Returns: `false` if the service account may not end sessions, unless Firebase is the directory.
    /// - Throws: `StoreError` if the sessions may still be valid, or a spent `Refusal` if the factor may still wait.
    func end(of uid: UID, tenantID: String?) async throws -> Bool {
        let failure = await failureToRemoveWaitingFactor(of: uid, tenantID)
        let isEnded = try await revoke(uid, tenantID)
        if let failure { throw Refusal(failure).spent }
        return isEnded
    }

    private func revoke(_ uid: UID, _ tenantID: String?) async throws -> Bool {
        guard let toolkit else { return false }
        do {
            try await toolkit.of(tenantID: tenantID).revokeSessions(of: uid, at: time.now())
            AuditJournal.record(AuditFact(.signOut))
            return true
        } catch .userNotFound {
            // A user who was deleted at Firebase has no session left.
            return true
        } catch .permissionDenied where !rules.directoryIsFirebase {
            return false
        } catch {
            throw StoreError(error)
        }
    }

    /// An error is returned and not thrown, because it must not prevent the end of the sessions.
    private func failureToRemoveWaitingFactor(of uid: UID, _ tenantID: String?) async -> (any Error)? {
        do {
            try await secondFactors.removeWaiting(of: uid, tenantID: tenantID)
            return nil
        } catch {
            return error
        }
    }
}
