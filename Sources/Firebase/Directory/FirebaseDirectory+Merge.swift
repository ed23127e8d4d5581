package import JOSE
package import Standards
package import Stores

extension FirebaseDirectory {
    /// Moves the links one by one, and deletes the emptied user.
    ///
    /// The merge is not atomic at Identity Toolkit. If it fails in the middle, an identity may be linked to either user,
    /// or only have a pending row for the remaining account. The merge may be repeated. If the remaining account has no
    /// verified address, it takes that of the other one at the end.
    ///
    /// - Parameters:
    ///   - uid: The account that is deleted.
    ///   - other: The account that gets the identities.
    ///   - expectation: The two accounts. They are checked before the first change, and the second one is checked again
    ///     before it is deleted.
    /// - Throws: ``StoreError``. It is ``StoreError/outcomeUnknown(_:)`` if a call fails after the checks.
    package func merge(
        _ uid: UID, into other: UID, expecting expectation: MergeExpectation?, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        guard isOneCall else { return try await oneCall.merge(uid, into: other, expecting: expectation, at: now) }
        let found = try await lookup(uids: [uid, other])
        guard let leaving = found.user(uid), let staying = found.user(other), leaving.uid != staying.uid,
            let emptied = try await reconciled(leaving, at: now),
            let kept = try await reconciled(staying, at: now)
        else { return .unknownAccount }
        if emptied.isDisabled || kept.isDisabled { return .refused(.disabled) }
        if leaving.hasSecondFactor { return .refused(.secondFactorEnrolled) }
        guard otherSignInMethods(of: leaving).isEmpty else { return .otherSignInMethod }
        guard leaving.signInMethods.isDisjoint(with: staying.signInMethods) else { return .providerTaken }
        if let refusal = try await refusal(of: expectation?.staying) { return .refused(refusal) }
        if let refusal = try await refusal(of: expectation?.going) { return MergeDecision(ofGoing: refusal) }
        // Read before the identities move: the local account loses the address together with the identity that has it.
        let email =
            staying.verifiedEmail == nil && kept.email == nil ? leaving.verifiedEmail ?? emptied.email : nil

        do throws(StoreError) {
            for link in leaving.providers {
                guard let identity = link.identity else { throw StoreError.unavailable(.directoryUnreachable) }
                // Identity Toolkit does not have the address of the identity, which decides whether the account loses it.
                let row = emptied.identities.first { $0.identity == identity }
                let incoming = IncomingIdentity(
                    identity: identity, details: row?.details ?? link.details, email: nil)
                try await move(incoming, from: uid, to: other, at: now)
            }
            return .merged(
                try await removeEmptied(
                    uid, into: other, moving: email, expecting: expectation?.going, at: now))
        } catch .unavailable(let fault, _) {
            throw .outcomeUnknown(fault)
        }
    }

    /// Moves one identity.
    ///
    /// While no user has the identity, its pending row names the user who gets it.
    private func move(
        _ incoming: IncomingIdentity, from uid: UID, to other: UID, at now: NumericDate
    ) async throws(StoreError) {
        let identity = incoming.identity
        try await intend(identity, for: other, at: now)
        try await wrapping({ StoreError($0) }, await users.unlink(provider: identity.provider, from: uid))
        guard let user = try await attach(incoming, to: other),
            case .confirmed = try await confirm(incoming, of: user, at: now)
        else { throw .outcomeUnknown(.directoryBusy) }
        try await release(identity, from: other, at: now)
    }

    /// Writes the pending row of an identity that is about to be linked to an account.
    ///
    /// A pending row of another account is deleted, because the account that is merged has the identity.
    private func intend(
        _ identity: ExternalIdentity, for uid: UID, at now: NumericDate
    ) async throws(StoreError) {
        let pending = IncomingIdentity(identity: Placeholder.pending(identity), details: IdentityDetails(), email: nil)
        for _ in 0..<Self.rounds {
            switch try await local.link(pending, to: uid, at: now) {
            case .linked: return
            case .identityTaken(let rival): try await release(identity, from: rival.uid, at: now)
            case .providerTaken: try await release(identity, from: uid, at: now)
            case .unknownAccount, .refused: throw .unavailable(.directoryBusy)
            }
        }
        throw .unavailable(.directoryBusy)
    }

    /// Deletes the emptied user.
    ///
    /// - Parameters:
    ///   - other: The user who got the identities.
    ///   - email: The verified address that the account of the other user takes, unless a third one has it.
    ///   - expectation: The emptied user. Their second factor, if they got one meanwhile, must not be lost.
    /// - Returns: The account of the other user.
    /// - Throws: ``StoreError/outcomeUnknown(_:)`` if one of the two has changed in the meantime.
    private func removeEmptied(
        _ uid: UID, into other: UID, moving email: EmailAddress?,
        expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> StoredAccount {
        let found = try await lookup(uids: [uid, other], emails: [email].compactMap(\.self))
        // A user who got another way to sign in meanwhile is not deleted.
        guard let staying = found.user(other), found.user(uid)?.signInMethods.isEmpty ?? true
        else { throw .outcomeUnknown(.directoryBusy) }
        // The identities have left the account by now.
        let emptied = expectation.map { AccountExpectation(uid: $0.uid, holder: $0.holder, provesFactor: false) }
        guard case .retired = try await retire(uid: uid, expecting: emptied, at: now)
        else { throw .outcomeUnknown(.directoryBusy) }
        if let email, !found.contains(where: { $0.verifiedEmail == email && $0.uid != uid }) {
            try await take(email, for: other, at: now)
        }
        guard let account = try await reconciled(staying, at: now) else { throw .outcomeUnknown(.directoryBusy) }
        return account
    }

    /// Stores a verified address of an account that has none, unless another account has it.
    private func take(_ email: EmailAddress, for uid: UID, at now: NumericDate) async throws(StoreError) {
        // A sign-in of an identity that the account has is the call that adds an address.
        guard let row = try await local.account(uid: uid)?.identities.first else { return }
        let known = IncomingIdentity(identity: row.identity, details: IdentityDetails(), email: email)
        do {
            _ = try await local.signIn(known, candidates: [], emails: .oneAccountEach, at: now)
        } catch .noFreeUID {
            // Another call has just removed the identity.
        }
    }
}
