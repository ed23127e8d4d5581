internal import Accounts
package import Firebase
internal import OAuth
internal import Stores
internal import Verification

extension Corridor {
    /// The caller's account takes over the identities of another one that is theirs as well.
    ///
    /// What an application keeps under the other uid is the application's to move.
    package func merge(_ user: FirebaseUser, _ request: MergeRequest) async throws(SignInError) -> MergeOutcome {
        let caller = try await caller(user, client: request.client)
        guard let client = clients[request.client] else { throw .unknownClient }
        try requireRecentLogin(user)
        try await requireValid(user)
        try requireNoSecondFactor(user)
        switch request.proof {
        case .pendingCredential(let pending): return try await merge(pending, into: caller, client)
        case .idToken(let token): return try await merge(token, into: caller, client.id)
        }
    }

    /// What the conflict was about is proven to be the caller's; the rest of its account is looked at.
    private func merge(
        _ pending: Secret, into caller: Caller, _ client: RegisteredClient
    ) async throws(SignInError) -> MergeOutcome {
        let proven = try await proven(
            pending, for: .merge, of: nil, by: caller.account.uid, client: client)
        // The account of the conflict and no other one: what the identity has moved to since was never agreed on.
        guard let holder = proven.holder else { throw .pendingCredential(.expired) }
        try await requireMovable(holder.uid, caller.user.tenantID, givingBack: proven.giveBack)
        try await check(holder, goesInto: caller, givingBack: proven.giveBack)
        let removal = try await removedUser(of: holder.uid, caller.user.tenantID, givingBack: proven.giveBack)
        do {
            let account = try await linker.merge(holder, into: caller)
            return MergeOutcome(account: account, mergedUID: holder.uid, removal: removal)
        } catch {
            throw .account(error, givenBack: error.nothingWasWritten ? await proven.giveBack() : false)
        }
    }

    /// The other account is proven by a sign-in to it, as fresh as the caller's.
    private func merge(
        _ token: Secret, into caller: Caller, _ client: ClientID
    ) async throws(SignInError) -> MergeOutcome {
        let other = try await user(token)
        let otherCaller = try await self.caller(other, client: client)
        try requireRecentLogin(other)
        try requireNoSecondFactor(other)
        try await requireValid(other, mints: true)
        try await requireMovable(other.uid, other.tenantID) { true }
        // A token that ends an account does so once, whoever has seen it.
        do {
            try await spend(other.record)
        } catch .session(.replayed) {
            throw .bearer(.replayed)
        } catch .session(.unwatched) {
            throw .bearer(.unwatched)
        }
        let givingBack = { await self.giveBack([other.record]) }
        try await check(otherCaller.account, goesInto: caller, givingBack: givingBack)
        let removal = try await removedUser(of: other.uid, other.tenantID, givingBack: givingBack)
        do {
            let account = try await linker.merge(otherCaller.account, into: caller)
            return MergeOutcome(account: account, mergedUID: otherCaller.account.uid, removal: removal)
        } catch {
            // A token whose user is gone, or whose sessions have ended, is no proof any more.
            let isProof = rules.directoryIsFirebase || removal == .kept || removal == .none
            throw .account(error, givenBack: error.nothingWasWritten && isProof ? await givingBack() : false)
        }
    }

    /// Refuses a merge that the store would refuse, before the Firebase user of the other account is removed.
    private func check(
        _ other: StoredAccount, goesInto caller: Caller, givingBack: () async -> Bool
    ) async throws(SignInError) {
        // Firebase's directory looks at both accounts itself before it changes anything.
        guard !rules.directoryIsFirebase else { return }
        do {
            try linker.checkMerge(other, into: caller)
        } catch {
            throw .account(error, givenBack: await givingBack())
        }
    }

    /// Whether nothing would be lost with an account, or got around, that Firebase knows and the store does not.
    private func requireMovable(
        _ uid: String, _ tenantID: String?, givingBack: () async -> Bool
    ) async throws(SignInError) {
        let hasOtherWayIn: Bool
        do {
            hasOtherWayIn = try await bearers.hasOtherWayIn(
                uid, tenantID: tenantID, besides: Set(providers.keys))
        } catch .directory(let error) {
            throw .account(.store(error), givenBack: await givingBack())
        } catch {
            _ = await givingBack()
            throw .bearer(error)
        }
        guard !hasOtherWayIn else { throw .account(.otherWayIn, givenBack: await givingBack()) }
    }
}
