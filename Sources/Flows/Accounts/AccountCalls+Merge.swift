internal import Accounts
package import Firebase
internal import Minting
package import OAuth
internal import SecondFactors
package import Stores
internal import Verification
internal import Wrapping

extension AccountCalls {
    /// Moves the identities of another account of the same person into the caller's account.
    ///
    /// The application itself moves the data that it keeps under the other uid.
    package func merge(_ user: FirebaseUser, _ request: MergeRequest) async throws(SignInError) -> MergeOutcome {
        let caller = try await callers.caller(user, client: request.client)
        let client = try registrations.client(request.client)
        try callers.requireRecentLogin(user)
        try await callers.requireValid(user, mints: true)
        try callers.requireNoSecondFactor(user)
        let checked = try await callers.requireFactor(of: caller)
        switch request.proof {
        case .pendingCredential(let pending):
            return try await merge(pending: pending, into: caller, checked, client)
        case .idToken(let token): return try await merge(idToken: token, into: caller, checked, client)
        }
    }

    /// Merges the account of a conflict, whose identity the pending credential proves.
    private func merge(
        pending: Secret, into caller: Caller, _ checked: CheckedCaller, _ client: RegisteredClient
    ) async throws(SignInError) -> MergeOutcome {
        let proven = try await conflicts.identity(
            ofPending: pending, for: .merge, of: nil, by: caller.account.uid, client: client)
        // Only the account of the conflict may be merged. The person did not agree to merge an account to which the
        // identity was linked later.
        guard let holder = proven.holder else { throw .pendingCredential(.expired) }
        try await requireMovable(holder.uid, caller.user.tenantID, givingBack: proven.giveBack)
        try await requireNoFactor(holder.uid, caller.user.tenantID, givingBack: proven.giveBack)
        try await check(holder, goesInto: caller, givingBack: proven.giveBack)
        let hookClaims = try await pipeline.ask(
            .link(of: proven.identity, to: caller.account.uid, merging: holder.uid, for: client.id),
            givingBack: proven.giveBack)
        let signedIn: Account
        do {
            signedIn = try caller.signedIn(proving: proven.identity)
        } catch {
            throw await .account(error, givingBack: proven.giveBack)
        }
        let admitted = try await pipeline.admitted(signedIn, of: checked, givingBack: proven.giveBack)
        let (merged, signIn) = try await pipeline.mint(
            admitted, for: client, adding: hookClaims, givingBack: proven.giveBack
        ) {
            () async throws(SignInError) -> Merged in
            let removal = try await callers.removedUser(
                of: holder.uid, caller.user.tenantID, givingBack: proven.giveBack)
            do throws(AccountError) {
                return Merged(account: try await linker.merge(holder, into: caller), removal: removal)
            } catch {
                throw await .account(error, givingBack: proven.giveBack)
            }
        }
        return MergeOutcome(
            account: merged.account, mergedUID: holder.uid, removal: merged.removal, signIn: signIn)
    }

    /// Merges the account of a Firebase ID token, which must show a login as fresh as the caller's.
    private func merge(
        idToken token: Secret, into caller: Caller, _ checked: CheckedCaller, _ client: RegisteredClient
    ) async throws(SignInError) -> MergeOutcome {
        let other = try await callers.user(token)
        let otherCaller = try await callers.caller(other, client: client.id)
        try callers.requireRecentLogin(other)
        try callers.requireNoSecondFactor(other)
        try await callers.requireValid(other, mints: true)
        try await requireMovable(other.uid, other.tenantID) { true }
        try await requireNoFactor(other.uid, other.tenantID) { true }
        // The token is spent, so that a leaked copy cannot end another account.
        try await wrapping(SignInError.singleUse, await singleUse.spend([other.record]))
        let givingBack = { [singleUse] in await singleUse.giveBack([other.record]) }
        try await check(otherCaller.account, goesInto: caller, givingBack: givingBack)
        let hookClaims = try await pipeline.ask(
            .link(of: nil, to: caller.account.uid, merging: otherCaller.account.uid, for: client.id),
            givingBack: givingBack)
        let signedIn: Account
        do {
            signedIn = try caller.signedIn(with: otherCaller)
        } catch {
            throw await .account(error, givingBack: givingBack)
        }
        let admitted = try await pipeline.admitted(signedIn, of: checked, givingBack: givingBack)
        let (merged, signIn) = try await pipeline.mint(
            admitted, for: client, adding: hookClaims, givingBack: givingBack
        ) {
            () async throws(SignInError) -> Merged in
            let removal = try await callers.removedUser(of: other.uid, other.tenantID, givingBack: givingBack)
            do throws(AccountError) {
                return Merged(account: try await linker.merge(otherCaller.account, into: caller), removal: removal)
            } catch {
                // A token whose user is deleted, or whose sessions were ended, proves nothing any more.
                let isProof = rules.directoryIsFirebase || removal == .kept || removal == .none
                throw .account(
                    StepFailure(error, isUnspent: error.nothingWasWritten && isProof ? await givingBack() : false))
            }
        }
        return MergeOutcome(
            account: merged.account, mergedUID: otherCaller.account.uid, removal: merged.removal, signIn: signIn)
    }

    private struct Merged: Sendable {
        let account: StoredAccount
        let removal: FirebaseUserRemoval
    }

    /// Refuses a merge that the store would refuse, before the Firebase user of the other account is removed.
    private func check(
        _ other: StoredAccount, goesInto caller: Caller, givingBack: () async -> Bool
    ) async throws(SignInError) {
        // With Firebase as the directory, the directory checks both accounts before it changes anything.
        guard !rules.directoryIsFirebase else { return }
        do {
            try linker.checkMerge(other, into: caller)
        } catch {
            throw .account(StepFailure(error, isUnspent: await givingBack()))
        }
    }

    /// Refuses to merge an account that has a second factor, because its identities would then sign in without it.
    private func requireNoFactor(
        _ uid: String, _ tenantID: String?, givingBack: () async -> Bool
    ) async throws(SignInError) {
        do throws(FactorError) {
            guard try await !secondFactors.isEnrolled(secondFactors.holder(uid, tenantID: tenantID)) else {
                throw .notMovable
            }
        } catch {
            throw .secondFactor(StepFailure(error, isUnspent: await givingBack()))
        }
    }

    /// Refuses to merge an account with a second factor of Firebase, or with a sign-in method that only Firebase knows.
    ///
    /// The merge would bypass the second factor, and lose the sign-in method.
    private func requireMovable(
        _ uid: String, _ tenantID: String?, givingBack: () async -> Bool
    ) async throws(SignInError) {
        let hasOtherWayIn: Bool
        do {
            hasOtherWayIn = try await bearers.hasOtherWayIn(
                uid, tenantID: tenantID, besides: Set(registrations.providers.keys))
        } catch .directory(let error) {
            throw .account(StepFailure(.store(error), isUnspent: await givingBack()))
        } catch {
            _ = await givingBack()
            throw .bearer(error)
        }
        guard !hasOtherWayIn else { throw .account(StepFailure(.otherWayIn, isUnspent: await givingBack())) }
    }
}

/// The account to merge into the caller's, and the proof that it belongs to the same person.
package struct MergeRequest: Sendable {
    package enum Proof: Sendable {
        case idToken(Secret)
        /// The pending credential of a conflict.
        case pendingCredential(Secret)
    }

    package let client: ClientID
    package let proof: Proof

    package init(client: ClientID, proof: Proof) {
        self.client = client
        self.proof = proof
    }
}

/// The result of a merge.
package struct MergeOutcome: AuditedOutcome {
    package let account: StoredAccount
    /// The uid of the account that was removed.
    package let mergedUID: String
    /// What happened to the Firebase user of the removed account.
    package let removal: FirebaseUserRemoval
    /// The fresh custom token of the account.
    package let signIn: SignInOutcome

    package var auditFact: AuditFact {
        var fact = AuditFact(.merge)
        fact.mergedUID = mergedUID
        return fact
    }
}
