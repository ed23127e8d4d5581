internal import ArgumentParser
internal import CommandSupport
internal import Firebase
internal import JOSE
internal import Jansson
internal import OAuth
internal import Settings
internal import Stores

/// Adds the accounts of a file, one after another, so that each is whole or not there, and doing it again adds nothing.
struct AccountImporter {
    let desk: AccountsDesk
    let names: ProviderNames
    let isDryRun: Bool
    private(set) var summary = ImportSummary()
    /// The identities of this file, since a dry run adds nothing that could be looked up.
    private var seenUIDs: Set<[UInt8]> = []
    private var seenIdentities: [ExternalIdentity: String] = [:]

    init(desk: AccountsDesk, names: ProviderNames, isDryRun: Bool) {
        (self.desk, self.names, self.isDryRun) = (desk, names, isDryRun)
    }

    /// What adding all of a file comes to.
    ///
    /// - `users`: where links and second factors of Firebase's users are asked for; nil to go by the file.
    func imported(_ file: ImportFile, asking users: FirebaseUsers?) async throws -> ImportSummary {
        var importer = self
        try await importer.add(file, asking: users)
        return importer.summary
    }

    private mutating func add(_ file: ImportFile, asking users: FirebaseUsers?) async throws {
        let now = desk.time.now()
        switch file {
        case .accounts(let entries):
            for (line, json) in entries {
                try await add(named: json["uid"]?.string ?? "line \(line)") { () throws(ImportFault) in
                    try AccountRecord.account(json, at: now)
                }
            }
        case .firebaseUsers(let entries):
            let reader = FirebaseUser(
                providers: Set(desk.settings.providers.ids.map { ProviderID($0) }), names: names, now: now)
            for start in stride(from: 0, to: entries.count, by: Self.batch) {
                let batch = entries[start..<min(start + Self.batch, entries.count)]
                let records = try await Self.records(of: batch, asking: users)
                for (index, user) in zip(batch.indices, batch) {
                    try await add(named: user["localId"]?.string ?? "user \(index + 1)") { () throws(ImportFault) in
                        try reader.account(user, describedBy: records)
                    }
                }
            }
        }
    }

    /// As many as Identity Toolkit takes in one question.
    private static let batch = 100

    private static func records(
        of users: ArraySlice<JSON>, asking firebase: FirebaseUsers?
    ) async throws -> [FirebaseUserRecord] {
        guard let firebase else { return [] }
        guard let records = try await firebase.records(of: users.compactMap { $0["localId"]?.string }) else {
            throw Exit.because(
                "the service account may not ask Firebase for users; import without --ask-firebase, or give it the role "
                    + "Firebase Authentication Admin", Exit.failure)
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
            return
        }
        try await add(account)
    }

    private mutating func add(_ account: StoredAccount) async throws {
        if let existing = try await desk.asking({ () throws(StoreError) in
            try await desk.store.account(uid: account.uid)
        }) {
            return compare(account, with: existing)
        }
        guard !isDryRun else { return try await foresee(account) }
        let decision = try await desk.asking { () throws(StoreError) in try await desk.store.add(account) }
        switch decision {
        case .added: summary.added += 1
        case .uidTaken: report(account, "the uid was deleted or merged away, and is never given again")
        case .identityTaken(let identity):
            let holder = try await desk.asking { () throws(StoreError) in
                try await desk.store.account(of: identity)
            }
            reportTaken(account, identity, by: holder?.uid)
        }
    }

    /// An identity that was unlinked since is not linked again.
    private mutating func compare(_ account: StoredAccount, with existing: StoredAccount) {
        let known = Set(existing.identities.map(\.identity))
        if let missing = account.identities.first(where: { !known.contains($0.identity) }) {
            report(
                account,
                "is there without its identity \(Self.text(missing.identity)); token-exchange accounts link adds it")
        } else {
            summary.skipped += 1
        }
    }

    /// What adding would come to, as far as it can be seen: it cannot be seen if the uid was given once before.
    private mutating func foresee(_ account: StoredAccount) async throws {
        guard seenUIDs.insert(Array(account.uid.utf8)).inserted else {
            return report(account, "stands in the file twice")
        }
        for identity in account.identities.map(\.identity) {
            let holder = try await desk.asking { () throws(StoreError) in
                try await desk.store.account(of: identity)
            }
            if let uid = holder?.uid ?? seenIdentities[identity] { return reportTaken(account, identity, by: uid) }
        }
        for identity in account.identities { seenIdentities[identity.identity] = account.uid }
        summary.added += 1
    }

    private mutating func reportTaken(_ account: StoredAccount, _ identity: ExternalIdentity, by uid: String?) {
        let holder = uid.map { "the account \(VisibleText.of($0))" } ?? "another account"
        report(account, "its identity \(Self.text(identity)) is linked to \(holder)")
    }

    private mutating func report(_ account: StoredAccount, _ reason: String) {
        summary.conflicts.append(.init(uid: account.uid, reason: reason))
    }

    private static func text(_ identity: ExternalIdentity) -> String {
        "\(VisibleText.of(identity.provider)) \(VisibleText.of(identity.subject))"
    }
}
