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
