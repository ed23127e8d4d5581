package import JOSE
internal import Jansson
package import Standards
package import Stores

extension IdentityToolkit {
    /// Creates a user without any way to sign in.
    ///
    /// The call is repeated only if it was certainly not received. After ``IdentityToolkitError/outcomeUnknown`` the user may be created a little later.
    ///
    /// - Throws: ``IdentityToolkitError/duplicateLocalID`` if another user has the uid.
    package func create(uid: UID) async throws(IdentityToolkitError) {
        _ = try await endpoint.call("accounts", .object(["localId": .string(uid.text)]), .once)
    }

    /// Links an identity to a user.
    ///
    /// If another user has the identity, Firebase may move it without an error; callers have to look it up first. No
    /// e-mail address is sent with it, because Firebase could make it the user's own.
    package func link(
        _ identity: ExternalIdentity, details: IdentityDetails, to uid: UID
    ) async throws(IdentityToolkitError) {
        var link: [String: JSON] = [
            "providerId": .string(identity.provider.text), "rawId": .string(identity.subject.text),
        ]
        let profile = UserProfile(name: details.name, picture: details.picture)
        link.merge(profile.members) { link, _ in link }
        try await update(uid, ["linkProviderUserInfo": .object(link)])
    }

    /// Unlinks the identity of a provider from a user, and changes the profile in the same step.
    ///
    /// It is no error if the user has no identity of the provider.
    package func unlink(
        provider: ProviderID, from uid: UID, _ change: ProfileChange = ProfileChange()
    ) async throws(IdentityToolkitError) {
        var body = change.profile.members
        body["deleteProvider"] = .array([.string(provider.text)])
        if !change.deleted.isEmpty {
            body["deleteAttribute"] = .array(change.deleted.map { .string($0.rawValue) })
        }
        try await update(uid, body)
    }

    /// Writes the values of a profile that are not `nil`.
    package func setProfile(_ profile: UserProfile, of uid: UID) async throws(IdentityToolkitError) {
        guard !profile.members.isEmpty else { return }
        try await update(uid, profile.members)
    }

    /// Disables or enables a user.
    ///
    /// A disabled user can neither sign in nor refresh a session.
    package func setDisabled(_ isDisabled: Bool, of uid: UID) async throws(IdentityToolkitError) {
        try await update(uid, ["disableUser": .bool(isDisabled)])
    }

    /// Revokes all sessions that started before `now`: Firebase refuses their refresh tokens.
    ///
    /// Their ID tokens stay valid until they expire, for at most an hour, unless ``check(_:authenticatedAt:)`` is
    /// called.
    package func revokeSessions(of uid: UID, at now: NumericDate) async throws(IdentityToolkitError) {
        try await update(uid, ["validSince": .string(String(now.seconds))])
    }

    /// Deletes a user.
    ///
    /// - Returns: Whether the user existed.
    package func delete(_ uid: UID) async throws(IdentityToolkitError) -> Bool {
        do {
            _ = try await endpoint.call("accounts:delete", .object(["localId": .string(uid.text)]), .repeatable)
            return true
        } catch .userNotFound {
            return false
        }
    }

    private func update(_ uid: UID, _ change: [String: JSON]) async throws(IdentityToolkitError) {
        var body = change
        body["localId"] = .string(uid.text)
        _ = try await endpoint.call("accounts:update", .object(body), .repeatable)
    }
}

extension IdentityToolkit {
    private static let batchLimit = 1000

    /// Deletes users, also disabled ones, and ignores unknown uids.
    ///
    /// Firebase allows 1000 users in a request, and one request per second.
    ///
    /// - Returns: The uids of the users that Firebase did not delete.
    package func delete(_ uids: [UID]) async throws(IdentityToolkitError) -> [UID] {
        var kept: [UID] = []
        var rest = uids[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchLimit)
            rest = rest.dropFirst(Self.batchLimit)
            let body: [String: JSON] = ["localIds": .array(batch.map { .string($0.text) }), "force": .bool(true)]
            let answer = try await endpoint.call("accounts:batchDelete", .object(body), .repeatable)
            for error in try answer.list("errors") {
                // An error without a uid could concern any user, so that none counts as deleted.
                guard let uid = error["localId"]?.string.flatMap({ UID($0) }) else { throw .malformedAnswer }
                kept.append(uid)
            }
            if !rest.isEmpty { await endpoint.retries.pause(.seconds(1)) }
        }
        return kept
    }
}

extension IdentityToolkit {
    /// Deletes the user of a deleted account, or revokes its sessions if the service account may not delete users.
    ///
    /// The call may be repeated: it is no error if the user does not exist. If the response to the deletion is lost,
    /// the user is looked up again, so that an error means that the user still exists, unless the lookup fails as well.
    ///
    /// - Parameter now: The time of the revocation.
    package func remove(_ uid: UID, at now: NumericDate) async throws(IdentityToolkitError) -> FirebaseUserRemoval {
        do {
            guard try await user(uid) != nil else { return .none }
        } catch .permissionDenied {
            return .kept
        }
        do {
            // The user existed a moment ago. If it is missing now, an attempt whose response was lost has deleted it.
            _ = try await delete(uid)
            return .deleted
        } catch .permissionDenied {
            return try await endSessions(of: uid, at: now)
        } catch {
            guard !error.nothingWasWritten else { throw error }
            switch await exists(uid) {
            case true?: throw .unavailable(status: 503)
            case false?: return .deleted
            case nil: throw error
            }
        }
    }

    /// Whether the user exists; `nil` if the lookup fails.
    private func exists(_ uid: UID) async -> Bool? {
        do {
            return try await user(uid) != nil
        } catch {
            return nil
        }
    }

    private func endSessions(of uid: UID, at now: NumericDate) async throws(IdentityToolkitError)
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

/// The result for the Firebase user of an account that was deleted.
package enum FirebaseUserRemoval: Sendable, Equatable {
    case deleted
    /// The user stays, and has to sign in again: the service account may change users, but not delete them.
    case sessionsEnded
    /// The user stays unchanged, because the service account may not read or change users.
    case kept
    /// The user did not exist.
    case none
}
