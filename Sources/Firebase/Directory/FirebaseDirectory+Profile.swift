internal import JOSE
internal import Standards
internal import Stores

extension FirebaseDirectory {
    /// Writes the provider's profile to the user, as far as it differs.
    ///
    /// A failure does not stop the sign-in; the next one writes the profile again.
    func syncProfile(of user: FirebaseUserRecord, _ incoming: IncomingIdentity) async {
        let provided = UserProfile(
            name: incoming.details.name, picture: incoming.details.picture, email: incoming.email)
        var profile = UserProfile()
        if let name = provided.name, name != user.name { profile.name = name }
        if let picture = provided.picture, picture != user.picture { profile.picture = picture }
        if let email = provided.email, email != user.verifiedEmail, mayReplaceEmail(of: user, incoming) {
            profile.email = email
        }
        do {
            try await users.setProfile(profile, of: user.uid)
        } catch .emailExists {
            profile.email = nil
            try? await users.setProfile(profile, of: user.uid)
        } catch {
            return
        }
    }

    /// Whether a sign-in may replace the user's e-mail address.
    ///
    /// If the user has a password, the address is their user name and stays. If they have several providers, the first
    /// verified address stays: otherwise it would change with each sign-in.
    private func mayReplaceEmail(of user: FirebaseUserRecord, _ incoming: IncomingIdentity) -> Bool {
        if user.signInMethods.contains(.password) { return false }
        return user.verifiedEmail == nil || user.signInMethods == [incoming.identity.provider]
    }

    /// Returns the change of the profile when a provider is unlinked.
    ///
    /// A name or a picture that equals the provider's was written by ``syncProfile(of:_:)``. It is replaced by that of the
    /// next provider that has one, or deleted. Any other value was written by the application or by the user, and stays.
    /// The verified address is deleted by the rule of ``StoredAccount/keepsEmail(without:)``; the next sign-in writes that
    /// of another provider.
    ///
    /// - Parameter account: The account, with the details of the last sign-in by each identity.
    /// - Returns: The change; an empty one if sign-ins do not write the profile.
    func profileChange(
        of user: FirebaseUserRecord, without leaving: FirebaseUserRecord.LinkedProvider, _ account: StoredAccount
    ) -> ProfileChange {
        guard syncsProfile else { return ProfileChange() }
        let written = profiles(of: leaving, account)
        // The entry of a password repeats the profile of the user, and that of a telephone number has none.
        let staying = user.providers.filter { $0.id != leaving.id && $0.id != .password }
            .flatMap { profiles(of: $0, account) }
        func next(after value: String?, _ member: (UserProfile) -> String?) -> String?? {
            guard let value, written.compactMap(member).contains(where: { $0.exactlyEquals(value) })
            else { return .none }
            return .some(staying.lazy.compactMap(member).first { !$0.isEmpty })
        }
        var change = ProfileChange()
        if let name = next(after: user.name, \.name) {
            if name == nil { change.deleted.append(.name) } else { change.profile.name = name }
        }
        if let picture = next(after: user.picture, \.picture) {
            if picture == nil { change.deleted.append(.picture) } else { change.profile.picture = picture }
        }
        var judged = account
        judged.email = user.verifiedEmail
        if !judged.keepsEmail(without: leaving.id) { change.deleted.append(.email) }
        return change
    }

    /// Returns the profiles that a provider sent: that of the last sign-in, and that of the link.
    private func profiles(
        of link: FirebaseUserRecord.LinkedProvider, _ account: StoredAccount
    ) -> [UserProfile] {
        let row = account.identities.first { $0.identity == link.identity }
        return [row?.details, link.details].compactMap(\.self).map { UserProfile(name: $0.name, picture: $0.picture) }
    }
}
