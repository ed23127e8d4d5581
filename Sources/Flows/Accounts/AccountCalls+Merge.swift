internal import Accounts
package import Firebase
internal import Minting
internal import SecondFactors
package import Standards
package import Stores
internal import Verification

extension AccountCalls {
    /// Moves the identities of another account of the same person into the caller's account.
    ///
    /// The application itself moves the data that it keeps under the other uid.
    package func merge(_ user: FirebaseUser, _ request: MergeRequest) async throws -> MergeOutcome {
        let authorized = try await callers.authorize(user, client: request.client, to: .merge)
        let client = try registrations.client(request.client)
        switch request.proof {
        case .pendingCredential(let pending):
            return try await merge(pending: pending, into: authorized, client)
        case .idToken(let token): return try await merge(idToken: token, into: authorized, client)
        }
    }

    /// Merges the account of a conflict, whose identity the pending credential proves.
    private func merge(
        pending: Secret, into authorized: AuthorizedCaller, _ client: RegisteredClient
    ) async throws -> MergeOutcome {
        let caller = authorized.caller
        let proven = try await conflicts.identity(
            ofPending: pending, for: .merge, of: nil, by: [caller.account.uid], client: client)
        // Only the account of the conflict may be merged. The person did not agree to merge an account to which the
        // identity was linked later.
        guard let holder = proven.holder else { throw Refusal.pendingCredentialExpired }
        let tenantID = caller.user.tenantID
        return try await proven.credential.keepSpent {
            try requireMovable(try await authenticator.recordOfOther(holder.uid, tenantID: tenantID))
            // The commit checks again that the account has the identity and no second factor.
            let expectation = MergeExpectation(
                going: secondFactors.expectation(of: holder.uid, tenantID: tenantID).holding(
                    ExternalIdentity(proven.identity)),
                staying: authorized.expectation)
            try await check(expectation, of: caller)
            try check(holder, goesInto: caller)
            let hookClaims = try await pipeline.ask(
                proven.identity, joins: caller.account, merging: holder, for: client)
            let cleared = try pipeline.cleared(
                caller.signedIn(proving: proven.identity), of: authorized.checked)
            let (merged, signIn) = try await pipeline.mint(cleared, for: client, adding: hookClaims) {
                try await check(expectation, of: caller)
                let removal = try await callers.removedUser(of: holder.uid, tenantID, isMerged: true)
                let account = try await linker.merge(holder, into: caller, expecting: expectation)
                AuditJournal.record(.merge(of: holder.uid))
                return Merged(account: account, removal: removal)
            }
            return MergeOutcome(
                account: merged.account, mergedUID: holder.uid, removal: merged.removal, signIn: signIn)
        }
    }

    /// Merges the account of a Firebase ID token, which must show a login as fresh as the caller's.
    private func merge(
        idToken token: Secret, into authorized: AuthorizedCaller, _ client: RegisteredClient
    ) async throws -> MergeOutcome {
        let caller = authorized.caller
        let other = try await callers.user(token, isForChange: true)
        let going = try await callers.authorize(other, client: client.id, to: .mergeAway)
        let otherCaller = going.caller
        try requireMovable(going.record)
        let expectation = MergeExpectation(going: going.expectation, staying: authorized.expectation)
        try await check(expectation, of: caller)
        // The token is spent, so that a leaked copy cannot end another account.
        try await singleUse.spend([other.record])
        return try await singleUse.spent([other.record]).keepSpent {
            try check(otherCaller.account, goesInto: caller)
            let hookClaims = try await pipeline.ask(
                nil, joins: caller.account, merging: otherCaller.account, for: client)
            let cleared = try pipeline.cleared(caller.signedIn(with: otherCaller), of: authorized.checked)
            let (merged, signIn) = try await pipeline.mint(cleared, for: client, adding: hookClaims) {
                try await check(expectation, of: caller)
                let removal = try await callers.removedUser(of: other.uid, other.tenantID, isMerged: true)
                do {
                    try await linker.adopt(otherCaller)
                    let account = try await linker.merge(otherCaller.account, into: caller, expecting: expectation)
                    AuditJournal.record(.merge(of: other.uid))
                    return Merged(account: account, removal: removal)
                } catch {
                    // A token whose user is deleted, or whose sessions were ended, proves nothing any more.
                    let isProof = rules.directoryIsFirebase || removal == .kept || removal == .none
                    throw isProof ? error : Refusal(error).spent
                }
            }
            return MergeOutcome(
                account: merged.account, mergedUID: otherCaller.account.uid, removal: merged.removal, signIn: signIn)
        }
    }

    private struct Merged: Sendable {
        let account: StoredAccount
        let removal: FirebaseUserRemoval
    }

    /// Refuses a merge that the store would refuse, before the Firebase user of the other account is removed.
    private func check(_ other: StoredAccount, goesInto caller: Caller) throws {
        // With Firebase as the directory, the directory checks both accounts before it changes anything.
        guard !rules.directoryIsFirebase else { return }
        try linker.checkMerge(other, into: caller)
    }

    /// Refuses to merge accounts that are not as expected, before anything that cannot be undone.
    ///
    /// An account with a second factor is not merged away, because its identities would then sign in without it.
    private func check(_ expectation: MergeExpectation, of caller: Caller) async throws {
        do {
            try await linker.check(expectation, of: caller)
        } catch let refusal as Refusal where refusal == .identityLost {
            throw Refusal.pendingCredentialExpired.unspent
        }
    }

    /// Refuses to merge an account with a sign-in method that only Firebase knows, because the merge would lose it.
    ///
    /// - Parameter record: The user at Identity Toolkit; `nil` if there is none, or if it may not be called.
    /// - Throws: ``Refusal/otherSignInMethod``.
    private func requireMovable(_ record: FirebaseUserRecord?) throws(Refusal) {
        let others = (record?.signInMethods ?? []).subtracting(registrations.providers.keys)
        guard others.isEmpty else {
            let names = Refusal.listed(others.map(\.text.shown))
            throw .otherSignInMethod.with(
                finding: "the other account can sign in at Firebase with \(names), and providers has no such id")
        }
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

package struct MergeOutcome: AuditedOutcome {
    package let account: StoredAccount
    /// The uid of the account that was removed.
    package let mergedUID: UID
    /// What happened to the Firebase user of the removed account.
    package let removal: FirebaseUserRemoval
    /// The fresh custom token of the account.
    package let signIn: SignInOutcome

    package var auditFact: AuditFact { .merge(of: mergedUID) }
}
