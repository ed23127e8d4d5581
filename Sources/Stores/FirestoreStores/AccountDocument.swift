internal import JOSE
internal import Standards
internal import Stores

/// An account as it is stored, with its identities in one document.
struct AccountDocument {
    var account: StoredAccount
    /// Whether the account has a confirmed second factor, as ``FactorsDocument`` says.
    var hasFactor = false

    init(_ account: StoredAccount) {
        self.account = account
    }

    static func name(_ uid: UID) -> DocumentName { DocumentName(.accounts, of: uid.text) }

    init(_ fields: Fields) throws(StoreError) {
        guard let createdAt = fields[time: "created_at"], let isAnonymous = fields[flag: "anonymous"],
            let isAdopted = fields[flag: "adopted"], let hasOtherSignInMethod = fields[flag: "other_way_in"],
            let isDisabled = fields[flag: "disabled"], let hasFactor = fields[flag: "has_factor"]
        else { throw .corrupt }
        var account = StoredAccount(uid: try fields.identifier("uid"), createdAt: createdAt)
        account.isAnonymous = isAnonymous
        account.deleteAfter = fields[time: "delete_after"]
        account.isAdopted = isAdopted
        account.hasOtherSignInMethod = hasOtherSignInMethod
        account.signInMethods = SignInMethods(text: fields[text: "ways_in"])
        account.isDisabled = isDisabled
        account.email = fields[text: "email"].flatMap { EmailAddress($0) }
        for map in fields[maps: "identities"] {
            guard let linkedAt = map[time: "linked_at"], let lastUsedAt = map[time: "last_used_at"]
            else { throw .corrupt }
            account.identities.append(
                StoredIdentity(
                    identity: ExternalIdentity(
                        provider: try map.identifier("provider"), subject: try map.identifier("subject")),
                    details: IdentityDetails(
                        email: map[text: "email"], name: map[text: "name"], picture: map[text: "picture"]),
                    linkedAt: linkedAt, lastUsedAt: lastUsedAt))
        }
        self.account = account
        self.hasFactor = hasFactor
    }

    var fields: Fields {
        var fields = Fields()
        fields[text: "uid"] = account.uid.text
        fields[time: "created_at"] = account.createdAt
        fields[flag: "anonymous"] = account.isAnonymous
        fields[time: "delete_after"] = account.deleteAfter
        fields[flag: "adopted"] = account.isAdopted
        fields[flag: "other_way_in"] = account.hasOtherSignInMethod
        fields[text: "ways_in"] = account.signInMethods.text
        fields[flag: "disabled"] = account.isDisabled
        fields[text: "email"] = account.email?.text
        fields[flag: "has_factor"] = hasFactor
        fields[maps: "identities"] = account.identities.map { row in
            var map = Fields()
            map[text: "provider"] = row.identity.provider.text
            map[text: "subject"] = row.identity.subject.text
            map[text: "email"] = row.details.email
            map[text: "name"] = row.details.name
            map[text: "picture"] = row.details.picture
            map[time: "linked_at"] = row.linkedAt
            map[time: "last_used_at"] = row.lastUsedAt
            return map
        }
        // The queries of the sweeps find these fields, each of which has an index. A query with several conditions would
        // need an index that an operator has to make.
        fields[time: Self.staleField] = account.isStale(at: NumericDate(.max)) ? account.deleteAfter : nil
        fields[time: Self.leftoverField] = isLeftover(at: NumericDate(.max)) ? account.deleteAfter : nil
        fields[flag: Self.endlessField] =
            account.isAnonymous && !account.isAdopted && account.deleteAfter == nil ? true : nil
        return fields
    }

    static let staleField = "stale_after"
    static let leftoverField = "leftover_after"
    static let endlessField = "endless"

    /// Whether nothing needs the row of an adopted account that has got no identity in time.
    func isLeftover(at now: NumericDate) -> Bool {
        account.isOver(at: now) && account.isAdopted && !account.isDisabled && !hasFactor
    }

    /// The linked identity and its account; `nil` if the account does not have the identity.
    func known(_ identity: ExternalIdentity) -> KnownIdentity? {
        account.identities.first { $0.identity == identity }.map { row in
            KnownIdentity(
                uid: account.uid, isDisabled: account.isDisabled, details: row.details, lastUsedAt: row.lastUsedAt,
                hasEmail: account.email != nil, hasFactor: hasFactor)
        }
    }

    /// Replaces the details and the last use of an identity.
    mutating func refresh(_ identity: ExternalIdentity, _ known: KnownIdentity) {
        for (index, row) in account.identities.enumerated() where row.identity == identity {
            account.identities[index].details = known.details
            account.identities[index].lastUsedAt = known.lastUsedAt
        }
    }
}

extension StoredAccount {
    /// Whether an anonymous account that was made here is to be deleted.
    func isStale(at now: NumericDate) -> Bool {
        isOver(at: now) && isAnonymous && !isAdopted && !hasOtherSignInMethod
    }

    fileprivate func isOver(at now: NumericDate) -> Bool {
        identities.isEmpty && deleteAfter.map { $0 <= now } ?? false
    }

    /// Adds an identity, in the order of the providers' octets.
    mutating func add(_ identity: StoredIdentity) {
        identities.append(identity)
        identities.sort { $0.identity.provider < $1.identity.provider }
    }

    mutating func makePermanent() {
        isAnonymous = false
        deleteAfter = nil
    }
}

/// The documents of accounts, identities and addresses, which every change keeps in agreement.
extension FirestoreSession {
    func account(uid: UID) async throws(StoreError) -> AccountDocument? {
        guard let fields = try await document(AccountDocument.name(uid)) else { return nil }
        return try AccountDocument(fields)
    }

    /// The account of an identity; `nil` if no account has it.
    func account(of identity: ExternalIdentity) async throws(StoreError) -> AccountDocument? {
        guard let fields = try await document(identity.name) else { return nil }
        let uid: UID = try fields.identifier("uid")
        guard let account = try await account(uid: uid), account.known(identity) != nil else {
            // A merge or an unlinking may have been committed between both readings.
            isDoubtful = true
            return nil
        }
        return account
    }

    func known(_ identity: ExternalIdentity) async throws(StoreError) -> KnownIdentity? {
        try await account(of: identity)?.known(identity)
    }

    func isRetired(uid: UID) async throws(StoreError) -> Bool {
        try await document(DocumentName(.retired, of: uid.text)) != nil
    }

    func write(_ document: AccountDocument) {
        set(AccountDocument.name(document.account.uid), document.fields)
    }

    /// Makes an account without its identities, if its uid was never used.
    ///
    /// - Returns: The account, which the caller writes after its last change; `nil` if the uid was ever used.
    func insert(_ account: StoredAccount) async throws(StoreError) -> AccountDocument? {
        let holder = FactorHolder(uid: account.uid)
        try await prepare(
            AccountDocument.name(account.uid), DocumentName(.retired, of: account.uid.text), holder.name)
        guard try await self.account(uid: account.uid) == nil, try await !isRetired(uid: account.uid)
        else { return nil }
        var document = AccountDocument(account)
        document.hasFactor = try await !factors(of: holder).confirmed.isEmpty
        return document
    }

    /// Links an identity to an account.
    ///
    /// - Returns: `false` if an account already has the identity.
    func link(_ identity: StoredIdentity, to document: inout AccountDocument) async throws(StoreError) -> Bool {
        let name = identity.identity.name
        guard !identity.identity.provider.text.isEmpty, !document.account.has(provider: identity.identity.provider)
        else { throw .unavailable(.other) }
        guard try await self.document(name) == nil else { return false }
        document.account.add(identity)
        setHolder(of: identity.identity, document.account.uid)
        return true
    }

    /// Records which account has an identity.
    func setHolder(of identity: ExternalIdentity, _ uid: UID) {
        var fields = Fields()
        fields[text: "uid"] = uid.text
        set(identity.name, fields)
    }

    /// Removes the record of an identity.
    func removeHolder(of identity: ExternalIdentity) async throws(StoreError) {
        if try await document(identity.name) != nil { delete(identity.name) }
    }

    func holders(of email: EmailAddress, except uid: UID?) async throws(StoreError) -> [UID] {
        guard let fields = try await document(email.name) else { return [] }
        return try fields.uids.filter { $0 != uid }.sorted()
    }

    func accounts(email: EmailAddress, except uid: UID?) async throws(StoreError) -> [StoredAccount] {
        var accounts: [StoredAccount] = []
        for uid in try await holders(of: email, except: uid) {
            if let account = try await account(uid: uid)?.account { accounts.append(account) }
        }
        return accounts
    }

    func setEmail(_ email: EmailAddress?, of document: inout AccountDocument) async throws(StoreError) {
        let uid = document.account.uid
        if let old = document.account.email { try await record(old, try await holders(of: old, except: uid)) }
        if let email { try await record(email, try await holders(of: email, except: uid) + [uid]) }
        document.account.email = email
    }

    private func record(_ email: EmailAddress, _ uids: [UID]) async throws(StoreError) {
        let isThere = try await document(email.name) != nil
        guard !uids.isEmpty else {
            if isThere { delete(email.name) }
            return
        }
        var fields = Fields()
        fields[list: "uids"] = uids.map { Array($0.text.utf8) }
        set(email.name, fields)
    }

    /// Removes an account, the records of its identities and its second factors.
    func remove(_ document: AccountDocument) async throws(StoreError) {
        var document = document
        try await setEmail(nil, of: &document)
        for row in document.account.identities { try await removeHolder(of: row.identity) }
        delete(AccountDocument.name(document.account.uid))
        try await removeFactors(of: FactorHolder(uid: document.account.uid))
    }

    /// Records that a uid is retired.
    func retire(uid: UID, into other: UID? = nil, at now: NumericDate) async throws(StoreError) {
        guard try await !isRetired(uid: uid) else { return }
        var fields = Fields()
        fields[text: "uid"] = uid.text
        fields[time: "at"] = now
        fields[text: "merged_into"] = other?.text
        set(DocumentName(.retired, of: uid.text), fields)
    }

    /// Returns the reason why an account is not as expected; `nil` if it is, or if nothing is expected.
    func refusal(of expectation: AccountExpectation?) async throws(StoreError) -> AccountRefusal? {
        guard let expectation else { return nil }
        var holder: UID?
        if let identity = expectation.identity { holder = try await account(of: identity)?.account.uid }
        return expectation.refusal(
            hasFactor: try await !factors(of: expectation.holder).confirmed.isEmpty,
            hasIdentity: holder == expectation.uid)
    }
}

extension ExternalIdentity {
    var name: DocumentName { DocumentName(.identities, of: provider.text, subject.text) }
}

extension EmailAddress {
    var name: DocumentName { DocumentName(.addresses, of: text) }
}
