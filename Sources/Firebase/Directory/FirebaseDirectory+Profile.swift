internal import OAuth
internal import Stores

extension FirebaseDirectory {
    /// Writes what the provider says to the user, where it differs.
    ///
    /// A failure keeps no person out: the next sign-in writes it.
    func syncProfile(of user: FirebaseUserRecord, _ arrival: IncomingIdentity) async {
        let says = UserProfile(name: arrival.details.name, picture: arrival.details.picture, email: arrival.email)
        var profile = UserProfile()
        if let name = says.name, name != user.name { profile.name = name }
        if let picture = says.picture, picture != user.picture { profile.picture = picture }
        if let email = says.email, email != user.verifiedEmail, mayReplaceEmail(of: user, arrival) {
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

    /// Never the one that goes with a password: it is the name by which its person signs in.
    ///
    /// The first of several providers that brought a verified address has the say, or the address would change with
    /// each sign-in.
    private func mayReplaceEmail(of user: FirebaseUserRecord, _ arrival: IncomingIdentity) -> Bool {
        if user.waysIn.contains(.password) { return false }
        return user.verifiedEmail == nil || user.waysIn == [ProviderID(arrival.identity.provider)]
    }
}
