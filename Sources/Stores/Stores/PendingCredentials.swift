package import JOSE
package import Standards

/// Stores identities whose sign-in met a conflict, or waits for a second factor.
///
/// The application that received the handle uses it once.
package protocol PendingCredentials: Sendable {
    /// Keeps a pending credential durably.
    func keep(_ pending: PendingCredential) async throws(StoreError)

    /// Returns the outcome that ``redeem(_:at:)`` would have now, and changes nothing.
    func find(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome

    /// Removes a pending credential and spends its handle in one durable commit, if client, provider, account and use
    /// match.
    ///
    /// A mismatch changes nothing.
    func redeem(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome

    /// Undoes a redemption before anything was sent to the client.
    ///
    /// Call it only after ``PendingCredentialOutcome/redeemed(_:)`` for this credential, and only once.
    func giveBack(_ pending: PendingCredential) async throws(StoreError)

    /// Deletes rows that have expired.
    ///
    /// - Returns: The number of deleted rows; fewer than `limit` if no more are left.
    func sweepPendingCredentials(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}

/// A verified identity whose sign-in met a conflict, or waits for a second factor.
///
/// The store finds it by the digest of the handle that the client received.
package struct PendingCredential: Sendable {
    /// A purpose for which a handle can be redeemed.
    ///
    /// The raw value is stored.
    package enum Use: String, Sendable, CaseIterable {
        /// To sign in as the account that holds the identity.
        case exchange
        /// To link the identity to an account of ``PendingCredential/uids``.
        case link
        /// To let an account of ``PendingCredential/uids`` take over the account that holds the identity.
        case merge
        /// To link the identity, on a page of this server, to the account of ``PendingCredential/uids`` that the person
        /// proves in the same browser. No client receives the handle.
        case settle
        /// To finish the sign-in of ``PendingCredential/holder`` with a code of its second factor.
        case secondFactor = "second_factor"
    }

    /// The record of the handle.
    ///
    /// The store finds the row by its digest, and spends the handle when the row is redeemed.
    package let record: SpentRecord
    package let client: ClientID
    /// The provider of the identity.
    package let provider: ProviderID
    package let uses: Set<Use>
    /// The accounts that may link or merge: the one that provoked the conflict, or those of the verified address.
    package let uids: [UID]
    /// The account that held the identity at the time of the conflict; `nil` if it had none.
    package let holder: UID?
    /// The payload, sealed by the caller.
    package let payload: String
    package let expiresAt: NumericDate

    package init(
        record: SpentRecord, client: ClientID, provider: ProviderID, uses: Set<Use>, uids: [UID], holder: UID?,
        payload: String, expiresAt: NumericDate
    ) {
        self.record = record
        self.client = client
        self.provider = provider
        self.uses = uses
        self.uids = uids
        self.holder = holder
        self.payload = payload
        self.expiresAt = expiresAt
    }
}

/// The values that a request must present to redeem a pending credential.
package struct PendingCredentialClaim: Sendable {
    package let record: SpentRecord
    package let client: ClientID
    /// The provider that the request names; `nil` if it names none.
    package let provider: ProviderID?
    package let use: PendingCredential.Use
    /// The accounts of the caller, one of which must be among ``PendingCredential/uids``; `nil` if that is not required.
    package let accounts: Set<UID>?

    package init(
        record: SpentRecord, client: ClientID, provider: ProviderID?, use: PendingCredential.Use, accounts: Set<UID>?
    ) {
        self.record = record
        self.client = client
        self.provider = provider
        self.use = use
        self.accounts = accounts
    }

    /// The reason to refuse a row of the claim's client, or `nil` if it can be redeemed.
    package func refusal(of pending: PendingCredential) -> PendingCredentialOutcome? {
        let isNamed = accounts.map { !$0.isDisjoint(with: pending.uids) } ?? true
        // A sign-in that waits for a second factor names no account that may link or merge: no caller may use it so.
        guard [nil, pending.provider].contains(provider), isNamed || pending.uids.isEmpty
        else { return .unknown }
        guard pending.uses.contains(use) else { return .otherUse }
        return isNamed ? nil : .unknown
    }
}

package enum PendingCredentialOutcome: Sendable {
    case redeemed(PendingCredential)
    /// The handle was never kept, was swept, or belongs to another client, provider or account.
    case unknown
    case replayed
    case expired
    /// The handle may not be used for this purpose.
    case otherUse
}
