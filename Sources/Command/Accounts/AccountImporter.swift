internal import ArgumentParser
internal import Firebase
internal import JOSE
internal import Jansson
internal import Settings
internal import Standards
internal import Stores

/// Adds the accounts of a file one by one, so that each is added completely or not at all, and a repetition adds nothing.
struct AccountImporter {
    let session: OperatorSession
    let names: ProviderNames
    let subjects: FirebaseSubjects
    let isDryRun: Bool
    private(set) var summary = ImportSummary()
    /// The accounts of this file that would be added, and their identities.
    ///
    /// A dry run needs them, because it adds nothing to the store.
    private var foreseen: [UID: StoredAccount] = [:]
    private var foreseenIdentities: [ExternalIdentity: UID] = [:]
    /// The uids of the entries so far.
    private var uids: Set<UID> = []
    /// The accounts of this file that have an address, whether they are added or exist already.
    private var holders: [EmailAddress: Set<UID>] = [:]

    init(session: OperatorSession, names: ProviderNames, subjects: FirebaseSubjects, isDryRun: Bool) {
        (self.session, self.names, self.subjects, self.isDryRun) = (session, names, subjects, isDryRun)
    }

    /// Adds all accounts of a file and returns the result.
    ///
    /// If `users` is not `nil`, it supplies links and second factors of Firebase users in addition to the file.
    func imported(_ file: ImportFile, users: FirebaseUsers?) async throws -> ImportSummary {
        var importer = self
        try await importer.add(file, users: users)
        importer.summary.sharedAddresses = importer.holders.values.count(where: { $0.count > 1 })
        return importer.summary
    }

    private mutating func add(_ file: ImportFile, users: FirebaseUsers?) async throws {
        let now = session.time.now()
        switch file {
        case .accounts(let entries):
            for (line, json) in entries {
                try await add(named: json["uid"]?.string ?? "line \(line)") { [names] () throws(ImportFault) in
                    try AccountRecord.account(json, names: names, at: now)
                }
            }
        case .firebaseUsers(let entries, _):
            try checkTenants(of: entries)
            let reader = ExportedUser(names: names, subjects: subjects, now: now)
            for start in stride(from: 0, to: entries.count, by: Self.batch) {
                let batch = entries[start..<min(start + Self.batch, entries.count)]
                let records = try await Self.records(of: batch, users: users)
                for (index, user) in zip(batch.indices, batch) {
                    try await add(named: user["localId"]?.string ?? "user \(index + 1)") { () throws(ImportFault) in
                        try reader.account(user, describedBy: records)
                    }
                }
            }
        }
    }

    /// Refuses a file with users of a tenant that no client has, before anything is added.
    ///
    /// A custom token for the uid of such a user would sign in another user of Firebase. An export without tenants says nothing.
    private func checkTenants(of users: [JSON]) throws {
        let configured = Set(
            (session.settings.clients.map(\.tenantID) + [session.settings.firebase.tenantID]).compactMap(\.self))
        let others = Set(users.compactMap { $0["tenantId"]?.string }.filter { !$0.isEmpty }).subtracting(configured)
            .sorted()
        guard let first = others.first else { return }
        let known = configured.sorted().map(VisibleText.of).joined(separator: ", ")
        throw Exit.because(
            "the file has users of the tenant \(others.prefix(8).map(VisibleText.of).joined(separator: ", ")), and the configuration "
                + (known.isEmpty ? "has no tenant" : "has \(known)")
                + ": write firebase.tenant_id: \(VisibleText.of(first)) if it serves that tenant. Nothing was imported",
            Exit.failure)
    }

    /// The maximal number of users in one lookup at Identity Toolkit.
    private static let batch = 100

    private static func records(
        of users: ArraySlice<JSON>, users firebase: FirebaseUsers?
    ) async throws -> [FirebaseUserRecord] {
        guard let firebase else { return [] }
        guard
            let records = try await firebase.records(of: users.compactMap { $0["localId"]?.string.flatMap { UID($0) } })
        else {
            throw Exit.because(
                "the service account may not look up Firebase users: token-exchange doctor says what it lacks. Import without "
                    + "--ask-firebase, or grant that", Exit.failure)
        }
        return records
    }

    private mutating func add(
        named name: String, _ read: () throws(ImportFault) -> StoredAccount?
    ) async throws {
        let account: StoredAccount?
        do throws(ImportFault) {
            account = try read()
        } catch {
            summary.conflicts.append(.init(uid: name, reason: error.message))
            return
        }
        guard let account else {
            summary.leftOut += 1
            if let provider = ExportedUser.nameAndSubject(in: name)?.name {
                summary.unknownProviders.append(.init(uid: name, reason: names.unknown(provider).message))
            } else {
                summary.unlinked.append(name)
            }
            return
        }
        try await add(account)
    }

    private mutating func add(_ account: StoredAccount) async throws {
        let isRepeated = !uids.insert(account.uid).inserted
        let stored = try await session.answer(of: await session.store.account(uid: account.uid))
        if let existing = stored ?? foreseen[account.uid] {
            return compare(account, with: existing, isRepeated: isRepeated)
        }
        if account.identities.isEmpty, !account.hasOtherSignInMethod, !account.isAnonymous {
            summary.withoutSignIn += 1
        }
        guard !isDryRun else { return try await foresee(account) }
        let decision = try await session.answer(of: await session.store.add(account))
        switch decision {
        case .added:
            summary.added += 1
            hold(account)
        case .uidTaken:
            report(account, "the account with this uid was deleted or merged; the uid is never assigned again")
        case .identityTaken(let identity):
            let holder = try await session.answer(of: await session.store.account(of: identity))
            reportTaken(account, identity, by: holder?.uid)
        }
    }

    /// Compares an entry with the existing account.
    ///
    /// If the account lacks an identity of the entry, the importer reports it and does not link it, because it may have
    /// been unlinked on purpose.
    ///
    /// - Parameter isRepeated: Whether an earlier entry of the file has the same uid.
    private mutating func compare(_ account: StoredAccount, with existing: StoredAccount, isRepeated: Bool) {
        let known = Set(existing.identities.map(\.identity))
        if let missing = account.identities.first(where: { !known.contains($0.identity) })?.identity {
            let found = isRepeated ? "is in the file more than once, and is" : "exists"
            let way =
                known.contains { $0.provider == missing.provider }
                ? "it has another one of \(VisibleText.of(missing.provider)), and can have only one; token-exchange accounts link "
                    + "--replace puts this one in its place"
                : "add it with token-exchange accounts link"
            report(account, "\(found) without its identity \(Self.text(missing)); \(way)")
        } else {
            summary.skipped += 1
            hold(existing)
        }
    }

    private mutating func hold(_ account: StoredAccount) {
        guard let email = account.email else { return }
        holders[email, default: []].insert(account.uid)
    }

    /// Predicts the result of adding an account.
    ///
    /// It does not detect uids of deleted accounts.
    private mutating func foresee(_ account: StoredAccount) async throws {
        for identity in account.identities.map(\.identity) {
            let holder = try await session.answer(of: await session.store.account(of: identity))
            if let uid = holder?.uid ?? foreseenIdentities[identity] { return reportTaken(account, identity, by: uid) }
        }
        foreseen[account.uid] = account
        for identity in account.identities { foreseenIdentities[identity.identity] = account.uid }
        summary.added += 1
        hold(account)
    }

    private mutating func reportTaken(_ account: StoredAccount, _ identity: ExternalIdentity, by uid: UID?) {
        let holder = uid.map { "the account \(VisibleText.of($0))" } ?? "another account"
        report(
            account,
            "its identity \(Self.text(identity)) is linked to \(holder); if a sign-in before the import made that one, delete it "
                + "and import again")
    }

    private mutating func report(_ account: StoredAccount, _ reason: String) {
        summary.conflicts.append(.init(uid: account.uid.text, reason: reason))
    }

    private static func text(_ identity: ExternalIdentity) -> String {
        "\(VisibleText.of(identity.provider)) \(VisibleText.of(identity.subject))"
    }
}
