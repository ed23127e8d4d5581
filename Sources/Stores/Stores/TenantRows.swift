package import JOSE
package import Standards

/// The names of a tenant's rows in the store.
///
/// Tenants of one project may have equal uids, identities and addresses. The rows of the deployment's own tenant have
/// their plain names. All other tenants have names that begin with `//`, the tenant and `/`, which keeps them apart in
/// every unique column.
package struct TenantName: Sendable, Equatable {
    /// The tenant; `nil` for the deployment's own one.
    package let tenantID: String?

    private static let mark = "//"
    /// The name for users outside any tenant if the deployment has a tenant.
    ///
    /// No id of a tenant contains it.
    private static let outside = "*"

    /// - Parameter tenantID: The id of a tenant, which contains no slash; `nil` for the deployment's own tenant.
    package init(_ tenantID: String?) {
        self.tenantID = tenantID
    }

    /// - Parameters:
    ///   - tenantID: The id of a tenant; `nil` for users outside any tenant.
    ///   - own: The deployment's own tenant, whose rows have plain names; `nil` for users outside any tenant.
    package init(_ tenantID: String?, besides own: String?) {
        switch (tenantID, own) {
        case (nil, nil): self.init(nil)
        case (let tenantID?, let own?) where tenantID.exactlyEquals(own): self.init(nil)
        case (let tenantID, _): self.init(tenantID ?? Self.outside)
        }
    }

    /// Returns the id of the tenant at Google.
    ///
    /// - Parameter own: The deployment's own tenant.
    /// - Returns: The id; `nil` for users outside any tenant.
    package func tenantID(besides own: String?) -> String? {
        guard let tenantID else { return own }
        return tenantID.exactlyEquals(Self.outside) ? nil : tenantID
    }

    /// Returns the name in the store of a uid.
    package func stored(_ uid: UID) -> UID { UID(uid, after: prefix(of: uid.text)) }

    /// Returns the name in the store of a provider.
    func stored(_ provider: ProviderID) -> ProviderID { ProviderID(prefix(of: provider.text) + provider.text) }

    private func prefix(of name: String) -> String {
        // A plain name that looks like another tenant's is marked too, with an empty tenant.
        if tenantID == nil, !name.utf8.starts(with: Self.mark.utf8) { return "" }
        return Self.mark + (tenantID ?? "") + "/"
    }

    /// Splits a name in the store into its tenant and the uid or the provider.
    package static func split(_ stored: String) -> (tenant: TenantName, name: String) {
        guard stored.utf8.starts(with: mark.utf8) else { return (TenantName(nil), stored) }
        let rest = stored.utf8.dropFirst(mark.utf8.count)
        let tenant = rest.prefix { $0 != UInt8(ascii: "/") }
        let name = rest.dropFirst(tenant.count + 1)
        return (
            TenantName(tenant.isEmpty ? nil : String(decoding: tenant, as: UTF8.self)),
            String(decoding: name, as: UTF8.self)
        )
    }

    /// Returns the uid or the provider of a name in the store; `nil` if it belongs to another tenant.
    package func name<Identifier: OctetIdentifier>(_ stored: Identifier) -> Identifier? {
        let (tenant, name) = Self.split(stored.text)
        return tenant == self ? Identifier(name) : nil
    }

    /// Returns an address as it is in the store.
    ///
    /// Addresses have no upper-case letters, so that those of the tenant are written as `^` and a letter.
    func stored(_ email: EmailAddress) -> EmailAddress? {
        guard let prefix = emailPrefix else { return email }
        return EmailAddress(prefix + email.text)
    }

    /// Returns the address of an account of this tenant.
    func email(_ stored: EmailAddress) -> EmailAddress? {
        guard let prefix = emailPrefix else { return stored }
        let octets = stored.text.utf8
        guard octets.starts(with: prefix.utf8) else { return nil }
        return EmailAddress(String(decoding: octets.dropFirst(prefix.utf8.count), as: UTF8.self))
    }

    private var emailPrefix: String? {
        tenantID.map { tenant in
            let marked = tenant.utf8.flatMap { octet in
                (0x41...0x5A).contains(octet) ? [UInt8(ascii: "^"), octet + 0x20] : [octet]
            }
            return Self.mark + String(decoding: marked, as: UTF8.self) + "/"
        }
    }

    package static func == (one: Self, other: Self) -> Bool {
        switch (one.tenantID, other.tenantID) {
        case (nil, nil): true
        case (let one?, let other?): one.exactlyEquals(other)
        default: false
        }
    }
}

/// The rows of one tenant in a store that several tenants share.
///
/// No call reads or changes a row of another tenant.
package struct TenantRows: AccountDirectory, OperatedAccounts {
    private let store: any AccountDirectory & AccountAdministration
    private let tenant: TenantName

    package init(_ store: any AccountDirectory & AccountAdministration, of tenant: TenantName) {
        self.store = store
        self.tenant = tenant
    }

    /// The rows of another tenant in the same store.
    package func of(_ tenant: TenantName) -> TenantRows { TenantRows(store, of: tenant) }

    package func signIn(
        _ arrival: IncomingIdentity, candidates: [UID], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        let decision = try await store.signIn(
            stored(arrival), candidates: candidates.map(tenant.stored), emails: emails, at: now)
        switch decision {
        // Second factors of tenants are stored under the name of the tenant, so that the store does not know them here.
        case .signedIn(let uid, let isNew, let holders, _):
            return .signedIn(uid: try name(uid), isNew: isNew, emailHeldBy: holders.compactMap(tenant.name))
        case .emailTaken(let accounts):
            return .emailTaken(by: try all(accounts))
        case .refused(let refusal):
            return .refused(refusal)
        }
    }

    package func makeAnonymous(
        candidates: [UID], deleteAfter: NumericDate?, at now: NumericDate
    ) async throws(StoreError) -> UID {
        try name(
            try await store.makeAnonymous(
                candidates: candidates.map(tenant.stored), deleteAfter: deleteAfter, at: now))
    }

    package func account(of bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        try own(try await store.account(of: stored(bearer), at: now))
    }

    package func find(_ bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        try own(try await store.find(stored(bearer), at: now))
    }

    package func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount? {
        guard let account = try await store.account(of: stored(identity)) else { return nil }
        return try own(account)
    }

    package func account(uid: UID) async throws(StoreError) -> StoredAccount? {
        guard let account = try await store.account(uid: tenant.stored(uid)) else { return nil }
        return try own(account)
    }

    package func setDisabled(_ isDisabled: Bool, uid: UID) async throws(StoreError) -> Bool {
        try await store.setDisabled(isDisabled, uid: tenant.stored(uid))
    }

    package func link(
        _ arrival: IncomingIdentity, to uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        let decision = try await store.link(
            stored(arrival), to: tenant.stored(uid), expecting: expectation.map(stored), at: now)
        return switch decision {
        case .linked(let account): .linked(try own(account))
        case .identityTaken(let account): .identityTaken(by: try own(account))
        case .providerTaken: .providerTaken
        case .unknownAccount: .unknownAccount
        case .refused(let refusal): .refused(refusal)
        }
    }

    package func unlink(
        provider: ProviderID, from uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        let decision = try await store.unlink(
            provider: tenant.stored(provider), from: tenant.stored(uid), expecting: expectation.map(stored), at: now)
        guard case .unlinked(let account) = decision else { return decision }
        return .unlinked(try own(account))
    }

    package func merge(
        _ uid: UID, into other: UID, expecting expectation: MergeExpectation?, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        let decision = try await store.merge(
            tenant.stored(uid), into: tenant.stored(other),
            expecting: expectation.map {
                MergeExpectation(going: stored($0.going), staying: stored($0.staying))
            }, at: now)
        guard case .merged(let account) = decision else { return decision }
        return .merged(try own(account))
    }

    package func retire(
        uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> RetireDecision {
        try await store.retire(uid: tenant.stored(uid), expecting: expectation.map(stored), at: now)
    }

    package func refusal(of expectation: AccountExpectation) async throws(StoreError) -> AccountRefusal? {
        try await store.refusal(of: stored(expectation))
    }

    /// Returns those of the accounts of the store that belong to this tenant.
    package func accounts(among stored: [StoredAccount]) throws(StoreError) -> [StoredAccount] {
        try all(stored.filter { tenant.name($0.uid) != nil })
    }
}

extension TenantRows {
    private func stored(_ bearer: FirebaseCaller) -> FirebaseCaller {
        FirebaseCaller(
            uid: tenant.stored(bearer.uid), isAnonymous: bearer.isAnonymous,
            email: bearer.email.flatMap(tenant.stored), signInMethods: bearer.signInMethods,
            hasIdentity: bearer.hasIdentity)
    }

    private func own(_ lookup: CallerLookup) throws(StoreError) -> CallerLookup {
        switch lookup {
        case .account(let account): .account(try own(account))
        case .unknown(let account): .unknown(try own(account))
        case .retired: .retired
        }
    }

    private func stored(_ identity: ExternalIdentity) -> ExternalIdentity {
        ExternalIdentity(provider: tenant.stored(identity.provider), subject: identity.subject)
    }

    private func stored(_ expectation: AccountExpectation) -> AccountExpectation {
        AccountExpectation(
            uid: tenant.stored(expectation.uid), holder: expectation.holder,
            provesFactor: expectation.provesFactor, identity: expectation.identity.map(stored))
    }

    private func stored(_ arrival: IncomingIdentity) -> IncomingIdentity {
        IncomingIdentity(
            identity: stored(arrival.identity), details: arrival.details, email: arrival.email.flatMap(tenant.stored))
    }

    private func all(_ stored: [StoredAccount]) throws(StoreError) -> [StoredAccount] {
        var accounts: [StoredAccount] = []
        for account in stored { accounts.append(try own(account)) }
        return accounts
    }

    /// Reads an account, without the names of the store.
    ///
    /// - Throws: ``StoreError/corrupt`` for an account of another tenant, which no query of this tenant finds.
    private func own(_ stored: StoredAccount) throws(StoreError) -> StoredAccount {
        var account = stored
        account.uid = try name(stored.uid)
        account.email = stored.email.flatMap(tenant.email)
        for (index, row) in stored.identities.enumerated() {
            account.identities[index].identity = ExternalIdentity(
                provider: try name(row.identity.provider), subject: row.identity.subject)
        }
        return account
    }

    private func name<Identifier: OctetIdentifier>(_ stored: Identifier) throws(StoreError) -> Identifier {
        guard let name = tenant.name(stored) else { throw .corrupt }
        return name
    }
}
