package import Accounts
package import Firebase
internal import JOSE
package import OAuth
internal import Providers
package import Stores
internal import Verification

extension Corridor {
    /// The user behind a Firebase ID token, before anything else of a request is looked at.
    ///
    /// - `isLeaving`: whether the user asks for the end of the account, which a user who is gone at Firebase may.
    package func user(_ bearer: Secret?, isLeaving: Bool = false) async throws(SignInError) -> FirebaseUser {
        do {
            return try await bearers.user(bearer, tenants: tenants, mayBeGone: isLeaving)
        } catch {
            throw .bearer(error)
        }
    }

    /// The account that is the user's: everything that a user may do begins here.
    ///
    /// - `clientID`: nil where the request names none, which then is one of the deployment's own tenant.
    package func caller(_ user: FirebaseUser, client clientID: ClientID?) async throws(SignInError) -> Caller {
        var tenantID = rules.tenantID
        if let clientID {
            guard let client = clients[clientID] else { throw .unknownClient }
            tenantID = client.tenantID ?? tenantID
        }
        guard user.tenantID.map({ Array($0.utf8) }) == tenantID.map({ Array($0.utf8) }) else {
            throw .bearer(.idToken(.tenantMismatch))
        }
        do {
            return try await linker.caller(user)
        } catch .retired {
            throw .bearer(.gone)
        } catch {
            throw .account(error, givenBack: true)
        }
    }

    /// Joins an identity to the caller's account; an anonymous one is permanent from then on.
    package func link(_ user: FirebaseUser, _ proof: AccountProof) async throws(SignInError) -> LinkOutcome {
        let caller = try await identified(try await caller(user, client: proof.client))
        try requireNoSecondFactor(user)
        // The person of an anonymous account has nothing to sign in with again.
        if !caller.account.isAnonymous { try requireRecentLogin(user) }
        let uid = caller.account.uid
        let (client, proven) = try await proven(proof, AccountIntent(.link, of: uid))
        let identity = proven.identity
        do {
            return LinkOutcome(
                account: try await linker.link(identity, to: caller), identity: identity,
                providerTokens: client.returnsProviderTokens ? identity.tokens : nil)
        } catch .identityTaken(let holder) {
            throw .conflict(try await conflict(proven, for: client, provokedBy: uid, heldBy: holder))
        } catch {
            throw .account(error, givenBack: error.nothingWasWritten ? await proven.giveBack() : false)
        }
    }

    package func unlink(
        _ provider: ProviderID, from user: FirebaseUser, client: ClientID?
    ) async throws(SignInError) -> StoredAccount {
        let caller = try await caller(user, client: client)
        try requireRecentLogin(user)
        do {
            return try await linker.unlink(provider, from: caller)
        } catch {
            throw .account(error, givenBack: error.nothingWasWritten)
        }
    }

    /// A fresh custom token for a user who proves once more who they are, with `reauth_time` or `reauth_method` among
    /// its claims.
    package func reauthenticate(_ user: FirebaseUser, _ proof: AccountProof) async throws(SignInError) -> SignInOutcome
    {
        let caller = try await caller(user, client: proof.client)
        try requireNoSecondFactor(user)
        if rules.directoryIsFirebase || rules.checksRevocation { try await requireValid(user, mints: true) }
        let intent = AccountIntent(.reauthenticate, of: caller.account.uid)
        let (client, proven) = try await proven(proof, intent)
        let account: Account
        do {
            account = try await linker.confirm(proven.identity, of: caller)
        } catch {
            throw .account(error, givenBack: error.nothingWasWritten ? await proven.giveBack() : false)
        }
        return try await minted(
            account, for: client, reauthentication: reauthentication(by: proven.identity), givingBack: proven.giveBack)
    }

    /// Removes the account for good, and deletes its Firebase user first: a deletion that was reported must not leave
    /// one behind.
    ///
    /// A call that ends between the two leaves an account whose user is gone, and can be made again.
    ///
    /// - Returns: what became of the Firebase user.
    package func remove(_ user: FirebaseUser, client: ClientID?) async throws(SignInError) -> FirebaseUserRemoval {
        let caller = try await caller(user, client: client)
        try requireRecentLogin(user)
        do {
            try await bearers.requireValid(user, mayBeGone: true)
        } catch {
            throw .bearer(error)
        }
        let removal = try await removedUser(of: caller.account.uid, user.tenantID) { true }
        do {
            try await linker.remove(caller)
        } catch {
            throw .account(error, givenBack: error.nothingWasWritten && removal != .sessionsEnded)
        }
        return removal
    }

    /// Removes the Firebase user of an account that is about to go, if the directory does not do so itself.
    ///
    /// - `givingBack`: makes the proof of the request usable again if nothing was changed.
    func removedUser(
        of uid: String, _ tenantID: String?, givingBack: () async -> Bool
    ) async throws(SignInError) -> FirebaseUserRemoval {
        guard !rules.directoryIsFirebase else { return .deleted }
        do {
            return try await bearers.removeUser(uid, tenantID: tenantID)
        } catch .directory(let error) {
            throw .account(.store(error), givenBack: error.nothingWasWritten ? await givingBack() : false)
        } catch {
            throw .bearer(error)
        }
    }

    /// The caller, once Identity Toolkit was asked whether an account that is anonymous here is so there, too.
    ///
    /// Without it an old session of ours, which says nothing of the password or provider that its person has added at
    /// Firebase since, would be good to link a stranger's identity.
    private func identified(_ caller: Caller) async throws(SignInError) -> Caller {
        // A directory of Firebase's has asked already.
        guard caller.account.isAnonymous, !rules.directoryIsFirebase else { return caller }
        let record: FirebaseUserRecord?
        do {
            record = try await bearers.identified(caller.user)
        } catch {
            throw .bearer(error)
        }
        guard let record else { return caller }
        do {
            return try await linker.caller(caller.user, describedBy: record)
        } catch .retired {
            throw .bearer(.gone)
        } catch {
            throw .account(error, givenBack: true)
        }
    }

    /// The identity of a proof that was made for this account and this purpose.
    private func proven(
        _ proof: AccountProof, _ intent: AccountIntent
    ) async throws(SignInError) -> (RegisteredClient, ProvenIdentity) {
        switch proof {
        case .credential(let request):
            let (client, provider) = try admit(request.client, request.provider)
            if case .pending(let pending) = request.credential {
                // It proves the identity at the time of the conflict, and nothing of now.
                guard intent.purpose == .link else { throw .pendingCredential(.otherUse) }
                let proven = try await proven(
                    pending, for: .link, of: request.provider, by: intent.uid, client: client)
                return (client, proven)
            }
            try checkProves(request.credential.type, intent.purpose, at: provider)
            let identity = try await verifiedIdentity(request, intent: intent)
            if request.credential.type != .callback {
                try checkFreshness(
                    of: identity, for: intent, since: time.now() - rules.recentLogin, bound: nil, at: provider)
            }
            let isOfFlow = request.credential.type == .callback
            return (
                client,
                ProvenIdentity(
                    identity, usesOfConflict: isOfFlow ? [.link, .merge] : Set(PendingCredential.Use.allCases)
                ) { await self.giveBack(identity.returnable) }
            )
        case .handoff(let clientID, let code, let redirectURI, let codeVerifier):
            let client = try client(clientID, for: .authorizationCode)
            let proven = try await proven(
                handoffCode: code, redirectURI: redirectURI, codeVerifier: codeVerifier, client: client,
                intent: intent)
            // What was verified a while ago meets the configuration of now.
            _ = try admit(client.id, proven.identity.provider)
            return (client, proven)
        }
    }

    /// Refuses to reauthenticate by a credential that says nothing of who is there now.
    ///
    /// A pair or an access token may be a year old, and the answer to a code of OAuth 2.0 has no time in it. Such a
    /// credential is refused before it is spent.
    private func checkProves(
        _ type: CredentialType, _ purpose: AccountIntent.Purpose, at provider: Provider
    ) throws(SignInError) {
        guard purpose == .reauthenticate else { return }
        switch type {
        case .oauth1Token, .accessToken: throw .freshLoginUnavailable
        case .authorizationCode: if provider.openIDConnect == nil { throw .freshLoginUnavailable }
        case .idToken, .callback, .pending: break
        }
    }

    /// An identity that is linked signs in without the second factor ever after.
    func requireNoSecondFactor(_ user: FirebaseUser) throws(SignInError) {
        guard !user.usedSecondFactor else { throw .bearer(.secondFactorEnrolled) }
    }

    func requireRecentLogin(_ user: FirebaseUser) throws(SignInError) {
        do {
            try bearers.requireRecentLogin(user)
        } catch {
            throw .bearer(error)
        }
    }

    /// Asks Identity Toolkit, where it can be asked, whatever the configuration says.
    ///
    /// - `mints`: whether a custom token is to come of it.
    func requireValid(_ user: FirebaseUser, mints: Bool = false) async throws(SignInError) {
        do {
            try await bearers.requireValid(user, mints: mints)
        } catch {
            throw .bearer(error)
        }
    }
}
