import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of stored identifiers", .serialized)
struct IdentifierConformance {
    private static let notUTF8: [UInt8] = [0xFF]
    private static let tooLong = [UInt8](repeating: 0x61, count: 129)

    /// Changes a column past the store, and expects that a call which reads the row reports it, and that other rows are
    /// read.
    private func expectCorrupt(
        _ database: Database, _ table: String, _ column: String, _ octets: [UInt8] = notUTF8,
        where condition: String = "",
        _ read: (any Store) async throws(StoreError) -> Void
    ) async throws {
        try await database.withLastingStore { store, run in
            try await store.enter(as: "one")
            _ = try await store.makeAnonymous(candidates: ["two"], deleteAfter: nil, at: now)
            try await store.keep(PendingCredential.baseline())
            _ = try await store.keep(DeviceGrant.baseline("A"), as: .baseline("A", .deviceCode))
            try await read(store)
            let digits = octets.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
            let value = database == .sqlite ? "x'\(digits)'" : "'\\x\(digits)'::bytea"
            if table == "accounts", database != .sqlite { try run("INSERT INTO uids (uid) VALUES (\(value))") }
            try run("UPDATE \(table) SET \(column) = \(value) \(condition)")
            await #expect(throws: StoreError.corrupt) { try await read(store) }
            _ = try await store.makeAnonymous(candidates: ["spared"], deleteAfter: nil, at: now)
            #expect(try await store.account(uid: "spared") != nil)
        }
    }

    @Test("A stored uid that is too long or not UTF-8 is corrupt", arguments: Database.lasting, [notUTF8, tooLong])
    func uid(database: Database, octets: [UInt8]) async throws {
        try await expectCorrupt(database, "accounts", "uid", octets, where: "WHERE anonymous") {
            store throws(StoreError) in _ = try await store.accounts(after: nil, atMost: 9)
        }
        try await expectCorrupt(database, "pending_credentials", "holder", octets) { store throws(StoreError) in
            _ = try await store.find(.claiming(), at: now)
        }
        let list = Array(Base64URL.encode(octets).utf8)
        try await expectCorrupt(database, "pending_credentials", "uids", list) { store throws(StoreError) in
            _ = try await store.find(.claiming(), at: now)
        }
    }

    @Test("A list of uids that is not base64url is corrupt", arguments: Database.lasting)
    func list(database: Database) async throws {
        try await expectCorrupt(database, "pending_credentials", "uids", Array("!".utf8)) { store throws(StoreError) in
            _ = try await store.find(.claiming(), at: now)
        }
    }

    @Test("A stored provider that is not UTF-8 is corrupt", arguments: Database.lasting)
    func provider(database: Database) async throws {
        try await expectCorrupt(database, "identities", "provider") { store throws(StoreError) in
            _ = try await store.account(uid: "one")
        }
        try await expectCorrupt(database, "device_grants", "provider") { store throws(StoreError) in
            _ = try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("A"), at: now)
        }
        try await expectCorrupt(database, "pending_credentials", "provider") { store throws(StoreError) in
            _ = try await store.find(.claiming(), at: now)
        }
    }

    @Test("A stored subject that is not UTF-8 is corrupt", arguments: Database.lasting)
    func subject(database: Database) async throws {
        try await expectCorrupt(database, "identities", "subject") { store throws(StoreError) in
            _ = try await store.account(uid: "one")
        }
    }

    @Test("A stored client that is not UTF-8 is corrupt", arguments: Database.lasting)
    func client(database: Database) async throws {
        try await expectCorrupt(database, "device_grants", "client") { store throws(StoreError) in
            _ = try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("A"), at: now)
        }
    }

    @Test("A uid with the name of its tenant may be longer than a uid", arguments: Database.allCases)
    func tenant(database: Database) async throws {
        let uid: UID = "\(String(repeating: "a", count: 128))"
        try await database.withStore { store async throws in
            let rows = TenantRows(store, of: TenantName("tenant"))
            #expect(try await rows.makeAnonymous(candidates: [uid], deleteAfter: nil, at: now) == uid)
            #expect(try await rows.account(uid: uid)?.uid == uid)
        }
    }
}
