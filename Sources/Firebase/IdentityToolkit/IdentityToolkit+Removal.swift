package import JOSE

extension IdentityToolkit {
    /// Deletes the user of an account that goes, or ends its sessions if the service account may not delete.
    ///
    /// It may be asked for again: a user who is gone is no error. An answer to the deletion that was lost is made up
    /// for by another look, so that an error says that the user is still there whenever that can be known.
    package func remove(_ uid: String, at now: NumericDate) async throws(IdentityToolkitError) -> FirebaseUserRemoval {
        do {
            guard try await user(uid) != nil else { return .none }
        } catch .permissionDenied {
            return .kept
        }
        do {
            // The user was there a moment ago: one who is gone now was deleted, if by an attempt whose answer was lost.
            _ = try await delete(uid)
            return .deleted
        } catch .permissionDenied {
            return try await endSessions(of: uid, at: now)
        } catch {
            guard !error.nothingWasWritten else { throw error }
            switch await isThere(uid) {
            case true?: throw .unavailable(status: 503)
            case false?: return .deleted
            case nil: throw error
            }
        }
    }

    /// Nil if Identity Toolkit does not say.
    private func isThere(_ uid: String) async -> Bool? {
        do {
            return try await user(uid) != nil
        } catch {
            return nil
        }
    }

    private func endSessions(of uid: String, at now: NumericDate) async throws(IdentityToolkitError)
        -> FirebaseUserRemoval
    {
        do {
            try await revokeSessions(of: uid, at: now)
            return .sessionsEnded
        } catch .permissionDenied {
            return .kept
        } catch .userNotFound {
            return .none
        }
    }
}

/// What became of the Firebase user of an account that was removed.
package enum FirebaseUserRemoval: Sendable, Equatable {
    case deleted
    /// The user stays, and has to sign in again: the service account may change users and not delete them.
    case sessionsEnded
    /// The user stays as it is, since the service account may not ask.
    case kept
    /// There was no such user.
    case none
}
