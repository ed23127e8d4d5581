internal import Accounts
internal import Minting
internal import SecondFactors
internal import Standards
internal import Stores
internal import Verification

/// The steps of a conflict that its person settles on a page.
extension Pipeline {
    /// Finds the account of an identity, or the accounts because of which its first sign-in would be refused.
    func lookup(of identity: VerifiedIdentity, for client: RegisteredClient) async throws -> IdentityLookup {
        try await singleUse.spent(identity.returnable).keepSpent {
            try await accounts(of: client).lookup(of: identity)
        }
    }

    /// Returns the account of an identity in the tenant of a client; `nil` if it has none.
    func holder(of identity: VerifiedIdentity, for client: RegisteredClient) async throws -> StoredAccount? {
        try await linker.holder(of: identity, in: rules.tenantID(of: client))
    }

    /// Links an identity to the account of another identity that the same person has proven.
    ///
    /// - Parameter other: The identity whose account gets it. That account must be one that may sign in.
    /// - Throws: The refusal of the account or of the operator's hook, after the credential was given back if nothing
    ///   was linked.
    func link(
        _ proven: ProvenIdentity, toAccountOf other: VerifiedIdentity, proving factor: ProvenFactor?,
        for client: RegisteredClient
    ) async throws {
        let tenantID = rules.tenantID(of: client)
        try await proven.credential.keepSpent {
            guard let holder = try await linker.holder(of: other, in: tenantID),
                let account = try await accounts(of: client).find(other, stillHeldBy: holder.uid)
            else { throw Refusal.accountGone }
            // Nothing is minted here, so that the claims of the hook are not used.
            _ = try await hooks.ask(.link(of: proven.identity, to: account.uid, for: client.id))
            try await linker.link(
                proven.identity, to: account, of: other, in: tenantID,
                expecting: secondFactors.expectation(of: account.uid, tenantID: tenantID, proving: factor))
            AuditJournal.record(.link(of: proven.identity, to: account.uid, for: client.id))
        }
    }
}
