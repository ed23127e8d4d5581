package import JOSE
internal import Jansson
package import Stores

extension IdentityToolkit {
    /// Makes a user without any way in.
    ///
    /// Sent once. With ``IdentityToolkitError/outcomeUnknown`` the user may come into being a little later.
    ///
    /// - Throws: ``IdentityToolkitError/duplicateLocalID`` where somebody has the uid.
    package func create(uid: String) async throws(IdentityToolkitError) {
        _ = try await endpoint.ask("accounts", .object(["localId": .string(uid)]), .once)
    }

    /// Links an identity to a user.
    ///
    /// Who had the identity before may lose it without a word: look it up first. No address is sent with it, since
    /// Firebase might take it for the user's own.
    package func link(
        _ identity: ExternalIdentity, details: IdentityDetails, to uid: String
    ) async throws(IdentityToolkitError) {
        var link: [String: JSON] = [
            "providerId": .string(identity.provider), "rawId": .string(identity.subject),
        ]
        let profile = UserProfile(name: details.name, picture: details.picture)
        link.merge(profile.members) { link, _ in link }
        try await update(uid, ["linkProviderUserInfo": .object(link)])
    }

    /// Takes the identity of a provider from a user, whichever it is; none is no error.
    package func unlink(provider: String, from uid: String) async throws(IdentityToolkitError) {
        try await update(uid, ["deleteProvider": .array([.string(provider)])])
    }

    /// Writes what is there of a profile, and leaves the rest as it is.
    package func setProfile(_ profile: UserProfile, of uid: String) async throws(IdentityToolkitError) {
        guard !profile.members.isEmpty else { return }
        try await update(uid, profile.members)
    }

    /// Ends all sessions that began before `now`: their refresh tokens are refused from then on.
    ///
    /// ID tokens live on until they expire, at most an hour, where nobody asks ``check(_:authenticatedAt:)``.
    package func revokeSessions(of uid: String, at now: NumericDate) async throws(IdentityToolkitError) {
        try await update(uid, ["validSince": .string(String(now.seconds))])
    }

    /// - Returns: whether there was such a user.
    package func delete(_ uid: String) async throws(IdentityToolkitError) -> Bool {
        do {
            _ = try await endpoint.ask("accounts:delete", .object(["localId": .string(uid)]), .repeatable)
            return true
        } catch .userNotFound {
            return false
        }
    }

    private func update(_ uid: String, _ change: [String: JSON]) async throws(IdentityToolkitError) {
        var body = change
        body["localId"] = .string(uid)
        _ = try await endpoint.ask("accounts:update", .object(body), .repeatable)
    }
}

extension IdentityToolkit {
    private static let batchLimit = 1000

    /// Deletes users whether they are disabled or not; unknown ones are passed over.
    ///
    /// A thousand a request, and one request a second, which is all that Firebase allows.
    ///
    /// - Returns: those that Firebase would not delete.
    package func delete(_ uids: [String]) async throws(IdentityToolkitError) -> [String] {
        var kept: [String] = []
        var rest = uids[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchLimit)
            rest = rest.dropFirst(Self.batchLimit)
            let body: [String: JSON] = ["localIds": .array(batch.map { .string($0) }), "force": .bool(true)]
            let answer = try await endpoint.ask("accounts:batchDelete", .object(body), .repeatable)
            for error in try answer.list("errors") {
                // A user of whom it is not said which one stays must not pass for a deleted one.
                guard let uid = error["localId"]?.string else { throw .malformedAnswer }
                kept.append(uid)
            }
            if !rest.isEmpty { await endpoint.patience.pause(.seconds(1)) }
        }
        return kept
    }
}

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
