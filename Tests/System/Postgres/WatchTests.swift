import Fixtures
import JOSE
import Postgres
import PostgresStores
import Stores
import Synchronization
import Testing

@Suite("Watching servers", .serialized)
struct WatchTests {
    /// A clock that stands still until it is advanced.
    final class Clock: Sendable {
        private let seconds = Atomic<Int64>(1_700_000_000)

        var source: TimeSource { TimeSource { self.now } }
        var now: NumericDate { NumericDate(seconds.load(ordering: .relaxed)) }

        func advance(by count: Int64) {
            seconds.wrappingAdd(count, ordering: .relaxed)
        }
    }

    let clock = Clock()

    private func token(_ text: String) -> SpentRecord {
        SpentRecord(.idToken, of: [Array(text.utf8)], issuedAt: clock.now, expiresAt: NumericDate(1_700_003_600))
    }

    private func open(_ place: String, connections: Int = 2) throws -> PostgresStore {
        try PostgresStore.open(conninfo: place, connections: connections, watching: Watching(clock.source))
    }

    /// Changes the stored server of the last watch, as if it had been another one.
    private func change(_ columns: String, _ place: String) throws {
        try PostgresServer.shared.get().query("UPDATE watch SET \(columns)", in: place)
    }

    @Test("SR-23: a session at another server than before refuses all earlier tokens from its first use")
    func otherServer() async throws {
        let place = try PostgresServer.shared.get().place()
        let store = try open(place)
        clock.advance(by: 5)
        let early = token("early")
        try await store.watch(at: clock.now)
        store.close()
        for (columns, isOther) in [("started = '1'", false), ("server = '1/00000001'", true)] {
            try change(columns, place)
            // Opened without a renewal, so that only the session can detect the change.
            let again = try PostgresStore.open(
                conninfo: place, connections: 1, watching: Watching(clock.source))
            defer { again.close() }
            #expect(try await again.spend([early], at: clock.now) == (isOther ? .unwatched(.idToken) : .first))
            try await again.giveBack([early])
        }
        let next = try open(place)
        defer { next.close() }
        // The change is recorded once.
        clock.advance(by: 1)
        #expect(try await next.spend([token("late")], at: clock.now) == .first)
    }

    @Test("SR-23: a session that is opened while the store is in use checks its server first")
    func newSession() async throws {
        let server = try PostgresServer.shared.get()
        let place = try server.place()
        let store = try open(place, connections: 1)
        defer { store.close() }
        clock.advance(by: 5)
        let early = token("early")
        #expect(try await store.spend([token("before")], at: clock.now) == .first)
        try change("server = '1/00000001'", place)
        // The existing session continues, since its server is the same.
        #expect(try await store.spend([token("still")], at: clock.now) == .first)
        let others = "pid <> pg_backend_pid() AND query LIKE '%spent%'"
        try server.query("SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE \(others)", in: place)
        var outcome: SpendOutcome?
        while outcome == nil { outcome = try? await store.spend([early], at: clock.now) }
        #expect(outcome == .unwatched(.idToken))
        clock.advance(by: 1)
        #expect(try await store.spend([token("late")], at: clock.now) == .first)
    }

    @Test(
        "SR-23: after a long unwatched time earlier tokens are refused only if the server was started since",
        arguments: [true, false])
    func restarted(isStarted: Bool) async throws {
        let place = try PostgresServer.shared.get().place()
        let first = try open(place)
        clock.advance(by: 5)
        let early = token("early")
        clock.advance(by: 1)
        try await first.watch(at: clock.now)
        first.close()
        if isStarted { try change("started = '1'", place) }
        clock.advance(by: 5)
        let between = token("between")
        clock.advance(by: 6)
        let second = try open(place)
        defer { second.close() }
        #expect(try await second.spend([early], at: clock.now) == (isStarted ? .unwatched(.idToken) : .first))
        #expect(try await second.spend([between], at: clock.now) == .unwatched(.idToken))
        clock.advance(by: 1)
        #expect(try await second.spend([token("late")], at: clock.now) == .first)
    }

    @Test("A role that may not identify its server is served, and unwatched time is detected by the clock")
    func noIdentity() async throws {
        let server = try PostgresServer()
        defer { server.stop() }
        let place = try server.place()
        for statement in [
            "CREATE ROLE plain LOGIN", "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC",
            "REVOKE EXECUTE ON FUNCTION pg_postmaster_start_time() FROM PUBLIC",
            "GRANT ALL ON SCHEMA place1 TO plain",
        ] { try server.query(statement, in: place) }
        let plain = place.replacing("//postgres@", with: "//plain@")
        let first = try open(plain)
        clock.advance(by: 5)
        let early = token("early")
        #expect(try await first.spend([token("used")], at: clock.now) == .first)
        try await first.watch(at: clock.now)
        clock.advance(by: 5)
        try await first.watch(at: clock.now)
        first.close()
        #expect(try server.query("SELECT coalesce(server, 'none') FROM watch", in: place) == ["none"])
        let second = try open(plain)
        #expect(try await second.spend([early], at: clock.now) == .first)
        try await second.giveBack([early])
        second.close()
        clock.advance(by: 60)
        let third = try open(plain)
        defer { third.close() }
        #expect(try await third.spend([early], at: clock.now) == .unwatched(.idToken))
    }

    @Test("At another server than before, earlier handoffs and pending credentials are unknown")
    func handles() async throws {
        let place = try PostgresServer.shared.get().place()
        let store = try open(place)
        let end = clock.now + .seconds(60)
        let handle = SpentRecord(.pendingCredential, of: [[1]], issuedAt: nil, expiresAt: end)
        try await store.keep(
            Handoff(
                record: .baseline("code", .handoff), client: "app", redirectURI: "https://app", codeChallenge: "c",
                payload: "p", expiresAt: end))
        try await store.keep(
            PendingCredential(
                record: handle, client: "app", provider: "yahoo.com", uses: [.exchange], uids: [], holder: nil,
                payload: "p", expiresAt: end))
        try change("server = '1/00000001'", place)
        try await store.watch(at: clock.now)
        store.close()
        let again = try open(place)
        defer { again.close() }
        let handoff = try await again.redeem(
            HandoffClaim(
                record: .baseline("code", .handoff), client: "app", redirectURI: "https://app", codeChallenge: "c"),
            at: clock.now)
        let pending = try await again.redeem(
            PendingCredentialClaim(record: handle, client: "app", provider: nil, use: .exchange, accounts: nil),
            at: clock.now)
        guard case .unknown = handoff, case .unknown = pending else {
            Issue.record("One of them was redeemed.")
            return
        }
    }

    @Test(
        "A failed renewal leaves unwatched time only if the session did not survive it",
        arguments: [false, true])
    func failedRenewal(isCut: Bool) async throws {
        // This test ends sessions, so it has a server of its own.
        let server = try PostgresServer()
        defer { server.stop() }
        let place = try server.place()
        let store = try open(place, connections: 1)
        defer { store.close() }
        clock.advance(by: 1)
        try await store.watch(at: clock.now)
        try server.query("ALTER TABLE watch RENAME TO elsewhere", in: place)
        clock.advance(by: 9)
        let between = token("between")
        await #expect(throws: StoreError.self) { try await store.watch(at: clock.now) }
        try server.query("ALTER TABLE elsewhere RENAME TO watch", in: place)
        if isCut {
            let others = "pid <> pg_backend_pid() AND application_name = 'token-exchange'"
            try server.query(
                "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE \(others)", in: place)
        }
        clock.advance(by: 9)
        while (try? await store.watch(at: clock.now)) == nil {}
        var outcome: SpendOutcome?
        while outcome == nil { outcome = try? await store.spend([between], at: clock.now) }
        #expect(outcome == (isCut ? .unwatched(.idToken) : .first))
    }

    @Test("A process whose clock is ahead does not block the others")
    func clockAhead() async throws {
        let place = try PostgresServer.shared.get().place()
        let store = try open(place)
        defer { store.close() }
        try await store.watch(at: NumericDate(.max) - .seconds(3600))
        let reading = try await store.watchReading()
        let server = try #require(reading.clock)
        #expect(reading.watchedUntil <= server)
        #expect(reading.isClockOff(from: now) && !reading.isClockOff(from: server))
    }

    @Test("Several hosts without a synchronous standby, and a weak synchronous_commit, give warnings")
    func warnings() async throws {
        let server = try PostgresServer.shared.get()
        let cases: [(hosts: String, settings: [String], expected: [StoreWarning])] = [
            (server.socketFolder, [], []),
            (server.socketFolder + "," + server.socketFolder, [], [.asynchronousReplicas]),
            (server.socketFolder, ["synchronous_commit=local"], [.weakSynchronousCommit]),
            (server.socketFolder, ["synchronous_commit=remote_write"], [.weakSynchronousCommit]),
            (server.socketFolder, ["synchronous_commit=remote_apply"], []),
        ]
        for (hosts, settings, expected) in cases {
            let store = try open(try server.place(settings: settings, host: hosts))
            defer { store.close() }
            #expect(try await store.warnings() == expected)
        }
    }

    // MARK: Failover

    /// Spends each token at both stores, and returns the names for which a store reported the first use.
    ///
    /// Some calls get no response, since `stop` runs after `limit` first uses.
    private func spendAtBoth(
        _ stores: [PostgresStore], _ names: [String], until limit: Int, then stop: @escaping @Sendable () -> Void
    ) async -> Set<String> {
        let first = Atomic<Int>(0)
        let tokens = names.map { ($0, token($0)) }
        let moment = clock.now
        let acknowledged = await all(tokens.count * 2) { index in
            let (name, token) = tokens[index / 2]
            guard (try? await stores[index % 2].spend([token], at: moment)) == .first else { return String?.none }
            if first.wrappingAdd(1, ordering: .relaxed).newValue == limit { stop() }
            return name
        }.compactMap(\.self)
        #expect(Set(acknowledged).count == acknowledged.count, "Nothing is the first at both.")
        return Set(acknowledged)
    }

    /// Spends a token, and repeats while sessions to the previous server fail.
    private func outcome(_ store: PostgresStore, _ token: SpentRecord) async throws -> SpendOutcome {
        while true {
            do throws(StoreError) {
                return try await store.spend([token], at: clock.now)
            } catch {
                // Each broken session fails one call.
                guard error.nothingWasWritten || error == .outcomeUnknown(.inputOutput) else { throw error }
            }
        }
    }

    @Test("SR-23: after an asynchronous replica is promoted, no use that it missed can be repeated")
    func asynchronousFailover() async throws {
        let primary = try PostgresServer()
        defer { primary.stop() }
        let place = try primary.place()
        try PostgresStore.migrate(conninfo: place)
        let standby = try PostgresServer(standbyOf: primary)
        defer { standby.stop() }
        let hosts = primary.socketFolder + "," + standby.socketFolder
        let stores = try (0..<2).map { _ in try open(primary.uri(schema: "place1", host: hosts), connections: 4) }
        defer { for store in stores { store.close() } }
        #expect(try await stores[0].warnings() == [.asynchronousReplicas])
        clock.advance(by: 2)
        try await stores[0].watch(at: clock.now)
        let replicated = token("replicated")
        #expect(try await stores[0].spend([replicated], at: clock.now) == .first)
        try await stores[0].keep(
            Handoff(
                record: .baseline("code", .handoff), client: "app", redirectURI: "https://app", codeChallenge: "c",
                payload: "p", expiresAt: clock.now + .seconds(60)))
        let reading = standby.uri(schema: "place1") + "&target_session_attrs=any"
        while try standby.query("SELECT count(*)::text FROM spent, handoffs", in: reading) != ["1"] {
            await Task.yield()
        }
        // From here on the standby receives nothing.
        standby.kill()
        let claim = HandoffClaim(
            record: .baseline("code", .handoff), client: "app", redirectURI: "https://app", codeChallenge: "c")
        guard case .redeemed = try await stores[0].redeem(claim, at: clock.now) else {
            Issue.record("It was not kept.")
            return
        }
        let names = (0..<100).map { "token \($0)" }
        let acknowledged = await spendAtBoth(stores, names, until: 60) { primary.kill() }
        #expect(acknowledged.count >= 60)
        try standby.start()
        try standby.promote()
        for store in stores {
            for name in names { #expect(try await outcome(store, token(name)) == .unwatched(.idToken), "\(name)") }
            #expect(try await outcome(store, replicated) == .replayed(.idToken))
            guard case .unknown = try await store.redeem(claim, at: clock.now) else {
                Issue.record("A handoff was redeemed twice.")
                return
            }
        }
        clock.advance(by: 1)
        #expect(await spendAtBoth(stores, ["new"], until: 9) {} == ["new"])
    }

    @Test("SR-23: after a synchronous replica is promoted, no acknowledged use is lost or repeated")
    func synchronousFailover() async throws {
        let primary = try PostgresServer()
        defer { primary.stop() }
        let place = try primary.place()
        try PostgresStore.migrate(conninfo: place)
        let standby = try PostgresServer(standbyOf: primary)
        defer { standby.stop() }
        try primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'", in: place)
        try primary.query("SELECT pg_reload_conf()::text", in: place)
        while try primary.query("SELECT sync_state FROM pg_stat_replication", in: place) != ["sync"] {
            await Task.yield()
        }
        let hosts = primary.socketFolder + "," + standby.socketFolder
        let stores = try (0..<2).map { _ in try open(primary.uri(schema: "place1", host: hosts), connections: 4) }
        defer { for store in stores { store.close() } }
        #expect(try await stores[0].warnings() == [])
        clock.advance(by: 2)
        let names = (0..<100).map { "token \($0)" }
        let acknowledged = await spendAtBoth(stores, names, until: 60) { primary.kill() }
        #expect(acknowledged.count >= 60)
        try standby.promote()
        for store in stores {
            for name in names {
                let again = try await outcome(store, token(name))
                if acknowledged.contains(name) {
                    #expect(again == .replayed(.idToken), "\(name)")
                } else {
                    #expect(again == .replayed(.idToken) || again == .unwatched(.idToken), "\(name)")
                }
            }
        }
        clock.advance(by: 1)
        #expect(await spendAtBoth(stores, ["new"], until: 9) {} == ["new"])
    }
}
