package import JOSE

/// Identities that met a conflict, each used once by the application that was told of the conflict.
package protocol PendingCredentials: Sendable {
    /// Keeps one, durably.
    func keep(_ pending: PendingCredential) async throws(StoreError)

    /// Takes one out and spends its handle, in one durable commit, if everything that binds it is named.
    ///
    /// What does not match leaves it where it is.
    func redeem(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome

    /// Undoes a redemption before anything was handed out.
    ///
    /// Only for a caller that was told ``PendingCredentialOutcome/redeemed(_:)`` for it, and once.
    func giveBack(_ pending: PendingCredential) async throws(StoreError)

    /// Forgets some of those that have expired.
    ///
    /// - Returns: how many; fewer than `limit` if there are no more.
    func sweepPendingCredentials(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}

/// A verified identity that met a conflict, under the digest of the handle that was handed out for it.
package struct PendingCredential: Sendable {
    /// What a handle can be redeemed for; the raw value is stored.
    package enum Use: String, Sendable, CaseIterable {
        /// To sign in as the account that holds the identity.
        case exchange
        /// To join the identity to an account of ``PendingCredential/uids``.
        case link
        /// To let an account of ``PendingCredential/uids`` take over the account that holds the identity.
        case merge
    }

    /// The handle's record: the row is found by its digest, and it is spent with the row.
    package let record: SpentRecord
    package let client: String
    /// The identity's.
    package let provider: String
    package let uses: Set<Use>
    /// The accounts that may link or merge: the one that provoked the conflict, or those of the verified address.
    package let uids: [String]
    /// The account that held the identity at the time of the conflict; nil if it had none.
    package let holder: String?
    /// Sealed by its keeper.
    package let payload: String
    package let expiresAt: NumericDate

    package init(
        record: SpentRecord, client: String, provider: String, uses: Set<Use>, uids: [String], holder: String?,
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

/// The columns in which both stores keep it, so that both read them alike.
extension PendingCredential {
    /// In the order of ``init(row:as:of:)``.
    package static let columns = "provider, uses, uids, holder, payload, expires_at"

    package var usesText: String { uses.map(\.rawValue).sorted().joined(separator: " ") }

    /// Base64url has no space, so that no uid runs into the next one.
    package var uidsText: String { uids.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: " ") }

    /// - Throws: ``StoreError/corrupt``.
    package init(row: some AccountRow, as record: SpentRecord, of client: String) throws(StoreError) {
        guard
            let provider = row.text(0), let uses = row.text(1), let uids = row.text(2), let payload = row.text(4),
            let expiresAt = row.integer(5)
        else { throw .corrupt }
        self.init(
            record: record, client: client, provider: provider,
            uses: Set(uses.split(separator: " ").compactMap { Use(rawValue: String($0)) }),
            uids: uids.split(separator: " ").compactMap { text in
                (try? Base64URL.decode(String(text))).map { String(decoding: $0, as: UTF8.self) }
            },
            holder: row.text(3), payload: payload, expiresAt: NumericDate(expiresAt))
    }
}

/// What must be named to redeem a pending credential.
package struct PendingCredentialClaim: Sendable {
    package let record: SpentRecord
    package let client: String
    /// Nil if the request names none.
    package let provider: String?
    package let use: PendingCredential.Use
    /// The account that links or merges; nil to sign in.
    package let uid: String?

    package init(
        record: SpentRecord, client: String, provider: String?, use: PendingCredential.Use, uid: String?
    ) {
        self.record = record
        self.client = client
        self.provider = provider
        self.use = use
        self.uid = uid
    }

    /// Why a row of the claim's own client is not redeemed; nil if it is.
    package func refusal(of pending: PendingCredential) -> PendingCredentialOutcome? {
        func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
        guard provider.map({ isSame($0, pending.provider) }) ?? true,
            uid.map({ uid in pending.uids.contains { isSame($0, uid) } }) ?? true
        else { return .unknown }
        return pending.uses.contains(use) ? nil : .otherUse
    }
}

/// What came of redeeming a pending credential.
package enum PendingCredentialOutcome: Sendable {
    case redeemed(PendingCredential)
    /// It was never kept or is swept, or it is another client's, provider's or account's.
    case unknown
    case replayed
    case expired
    /// It may not be used for this.
    case otherUse
}
