import Fixtures
import Foundation
import JOSE
import Jansson
import SQLiteStores
import Standards
import Stores
import Testing

@Suite("accounts factors", .timeLimit(.minutes(5)))
struct AccountFactorsTests {
    private static let shown = """
        uid: anna
        recovery codes left: 2
        locked until: -
        factor: f-1, Anna's\\u{7}phone, created 2023-11-14T22:13:20Z, last used 2023-11-14T22:15:00Z
        factor: f-2, created 2023-11-14T22:13:21Z, last used -

        """

    @Test("The factors of an account are shown without their secrets, as text or as JSON")
    func show() async throws {
        let installation = try await Installation.withFactors()
        let text = try await installation.run("accounts", "factors", "anna")
        #expect(text.status == 0)
        #expect(text.output == Self.shown)
        #expect(text.hides("sealed-secret"))
        let json = try await installation.run("accounts", "factors", "anna", "--json")
        #expect(json.hides("sealed-secret"))
        #expect(
            try JSON.parse(Array(json.output.utf8))
                == JSON.parse(
                    Array(
                        """
                        {"uid": "anna", "recovery_codes_left": 2, "factors": [
                          {"factor_id": "f-1", "type": "totp", "name": "Anna's\\u0007phone", "created_at": 1700000000,
                           "last_used_at": 1700000100},
                          {"factor_id": "f-2", "type": "totp", "created_at": 1700000001}]}
                        """.utf8)))
    }

    @Test("An account without factors is shown, and an unknown uid leads to exit code 1")
    func unknown() async throws {
        let installation = try await Installation.withFactors()
        #expect(
            try await installation.run("accounts", "factors", "bert").output
                == "uid: bert\nrecovery codes left: 0\nlocked until: -\n")
        for option in [nil, "--remove-all", "--unlock", "--remove=f-1"] {
            let outcome = try await Command.run(
                ["accounts", "factors", "carl", "--config", installation.configuration] + [option].compactMap(\.self),
                environment: Installation.environment)
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors == "token-exchange: there is no account carl: accounts list shows the uids\n")
        }
    }

    @Test("A factor is removed by its id, and the last one takes the recovery codes with it")
    func remove() async throws {
        let installation = try await Installation.withFactors()
        let first = try await installation.run("accounts", "factors", "anna", "--remove", "f-1", "--json")
        #expect(first.status == 0)
        let left = try JSON.parse(Array(first.output.utf8))
        #expect(left["factors"]?.array?.map { $0["factor_id"]?.string } == ["f-2"])
        #expect(left["recovery_codes_left"] == .integer(2))
        let again = try await installation.run("accounts", "factors", "anna", "--remove", "f-1")
        #expect(again.status == 1)
        #expect(again.output.isEmpty)
        #expect(again.errors == "token-exchange: the account anna has no second factor f-1\n")
        #expect(
            try await installation.run("accounts", "factors", "anna", "--remove", "f-2").output
                == "uid: anna\nrecovery codes left: 0\nlocked until: -\n")
    }

    @Test("All factors are removed, with the recovery codes and the lock, and those of other accounts stay")
    func removeAll() async throws {
        let installation = try await Installation.withFactors()
        try await installation.lock("anna", at: NumericDate(4_000_000_000))
        #expect(
            try await installation.run("accounts", "factors", "anna", "--remove-all").output
                == "uid: anna\nrecovery codes left: 0\nlocked until: -\n")
        let again = try await installation.run("accounts", "factors", "anna", "--remove-all")
        #expect(again.status == 1)
        #expect(again.errors == "token-exchange: the account anna has no second factors\n")
        #expect(try await installation.run("accounts", "factors", "nobody").output.contains("factor: -f3"))
    }

    @Test("A lock is shown until it ends, and can be ended before")
    func unlock() async throws {
        let installation = try await Installation.withFactors()
        try await installation.lock("anna", at: NumericDate(1_700_000_000))
        #expect(try await installation.run("accounts", "factors", "anna").output == Self.shown)
        // The second lock in a row lasts half an hour.
        try await installation.lock("anna", at: NumericDate(4_000_000_000))
        let locked = try await installation.run("accounts", "factors", "anna")
        #expect(locked.output.contains("locked until: 2096-10-02T07:36:40Z\n"))
        let json = try await installation.run("accounts", "factors", "anna", "--json")
        #expect(try JSON.parse(Array(json.output.utf8))["locked_until"] == .integer(4_000_001_800))
        #expect(try await installation.run("accounts", "factors", "anna", "--unlock").output == Self.shown)
        let none = try await installation.run("accounts", "factors", "bert", "--unlock")
        #expect(none.status == 1)
        #expect(none.errors == "token-exchange: the account bert has no second factors\n")
    }

    @Test("An account with a second factor is not merged into another one, but another one into it")
    func merge() async throws {
        let installation = try await Installation.withFactors()
        let refused = try await installation.run("accounts", "merge", "anna", "bert", "--keep-firebase-user")
        #expect(refused.status == 1)
        #expect(refused.errors.hasPrefix("token-exchange: anna has a second factor, which would be lost"))
        #expect(try await installation.listed().count == 3)
        #expect(try await installation.run("accounts", "factors", "nobody", "--remove", "-f3").status == 0)
        let merged = try await installation.run("accounts", "merge", "nobody", "anna", "--keep-firebase-user")
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(try await installation.run("accounts", "factors", "anna").output == Self.shown)
    }

    @Test(
        "Only one change is made at a time",
        arguments: [
            ["--remove-all", "--unlock"], ["--remove", "f-1", "--unlock"], ["--remove", "f-1", "--remove-all"],
        ])
    func oneChange(options: [String]) async throws {
        let outcome = try await Command.run(["accounts", "factors", "anna"] + options)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("Use only one of --remove, --remove-all and --unlock."))
    }

    @Test("If Firebase keeps the accounts and does not respond, the factors stay")
    func unreachable() async throws {
        let installation = try await Installation.withFactors()
        let local = try String(contentsOfFile: installation.configuration, encoding: .utf8)
        try installation.write(AccountsTests.firebaseYAML(installation.configuration))
        for option in ["--remove-all", "--unlock", "--remove=f-1"] {
            let outcome = try await installation.run("accounts", "factors", "anna", option)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("directory_unreachable"), "\(outcome.errors)")
        }
        try installation.write(local)
        #expect(try await installation.run("accounts", "factors", "anna").output == Self.shown)
    }
}

extension Installation {
    /// An installation whose account `anna` has two factors, and `nobody` one.
    fileprivate static func withFactors() async throws -> Installation {
        let installation = try await withAccounts()
        let store = try installation.openedStore()
        for (id, name, holder, time) in [
            ("f-1", "Anna's\u{7}phone", FactorHolder(uid: "anna"), 1_700_000_000),
            ("f-2", nil, FactorHolder(uid: "anna"), 1_700_000_001),
            ("-f3", nil, FactorHolder(uid: "nobody"), 1_700_000_000),
        ] as [(String, String?, FactorHolder, Int64)] {
            let now = NumericDate(time)
            let factor = EnrolledFactor(
                id: id, name: name, secret: "sealed-secret", createdAt: now, expiresAt: NumericDate(time + 600))
            let expectation = AccountExpectation(uid: holder.uid, holder: holder, provesFactor: true)
            #expect(try await store.keep(factor, expecting: expectation) == .done)
            let digests = [1, 2].map { [UInt8](repeating: $0, count: 32) }
            #expect(
                try await store.confirm(id, expecting: expectation, step: 1, recoveryCodes: digests, at: now)
                    == .done)
        }
        #expect(
            try await store.use(
                .totp(factor: "f-1", step: 2, previous: 1), of: FactorHolder(uid: "anna"),
                at: NumericDate(1_700_000_100)))
        return installation
    }

    /// Locks the factors of an account, by as many tries as it has.
    fileprivate borrowing func lock(_ uid: UID, at now: NumericDate) async throws {
        let store = try openedStore()
        let attempt = FactorTry(holder: FactorHolder(uid: uid), handle: nil, isRecovery: false)
        for _ in 0..<5 { _ = try await store.beginTry(attempt, at: now) }
    }

    private borrowing func openedStore() throws(StoreError) -> SQLiteStore {
        try SQLiteStore.open(path: folder.path + "/token-exchange.db")
    }
}
