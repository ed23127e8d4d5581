import JOSE
import SQLiteStores
import Stores
import Testing

@Suite("Polls of devices")
struct DevicePollTests {
    private func store(_ state: DeviceGrantState) async throws -> SQLiteStore {
        let store = try SQLiteStore.inMemory()
        #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
        for step in DeviceStep.path(to: state) { #expect(try await step.take(store)) }
        return store
    }

    private func poll(
        _ store: SQLiteStore, after seconds: Int = 0, client: String = "tv"
    ) async throws -> String {
        try await store.poll(.device, client: client, at: now + .seconds(seconds)).name
    }

    @Test(
        "Until the owner has approved, the device waits",
        arguments: [DeviceGrantState.pending, .claimed, .verified])
    func waits(state: DeviceGrantState) async throws {
        let store = try await store(state)
        #expect(try await poll(store) == "pending")
        #expect(try await poll(store, after: 5) == "pending")
    }

    @Test("An approved grant is redeemed once, as it was kept", arguments: Backend.allCases)
    func redeemed(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
            for step in DeviceStep.path(to: .approved) { #expect(try await step.take(store)) }
            guard case .redeemed(let grant, "payload") = try await store.poll(.device, client: "tv", at: now) else {
                Issue.record("It is not redeemed.")
                return
            }
            #expect(grant.userCodeDigest == DeviceGrant.digest("WDJBMJHT") && grant.client == "tv")
            #expect(grant.provider == "yahoo.com" && grant.scopes == ["mail-r", "sdct-w"] && grant.expiresAt == later)
            #expect(try await store.poll(.device, client: "tv", at: now).name == "replayed")
            #expect(try await store.deviceGrant(userCodeDigest: grant.userCodeDigest, at: now) == nil)
            #expect(try await store.spend([.device], at: now) == .replayed(.deviceCode))
        }
    }

    @Test("DG-05: a refusal is heard once")
    func denied() async throws {
        let store = try await store(.denied)
        #expect(try await poll(store) == "denied")
        #expect(try await poll(store) == "replayed")
    }

    @Test("DG-06: to another client a device code is nobody's", arguments: DeviceGrantState.allCases)
    func otherClient(state: DeviceGrantState) async throws {
        let store = try await store(state)
        for client in ["TV", "tv2", "", "tv\0"] { #expect(try await poll(store, client: client) == "unknown") }
        #expect(try await poll(store) != "unknown")
    }

    @Test("RFC 8628 §3.5: too fast is told so, and adds five seconds each time, up to a minute")
    func slowDown() async throws {
        let store = try await store(.pending)
        var moment = 0
        #expect(try await poll(store, after: moment) == "pending")
        for interval in stride(from: 5, through: 55, by: 5) {
            moment += interval - 1
            #expect(try await poll(store, after: moment) == "slowDown", "before \(interval) seconds")
        }
        // Now it is a minute, from the last call that counted.
        for seconds in [0, 30, 59] { #expect(try await poll(store, after: moment + seconds) == "slowDown") }
        #expect(try await poll(store, after: moment + 60) == "pending")
        #expect(try await poll(store, after: moment + 119) == "slowDown")
        #expect(try await poll(store, after: moment + 120) == "pending")
    }

    @Test("Who keeps to the interval is never told to slow down")
    func patient() async throws {
        let store = try await store(.pending)
        for moment in stride(from: 0, to: 600, by: 5) { #expect(try await poll(store, after: moment) == "pending") }
    }

    @Test("An approved grant is redeemed however fast the device asks")
    func fast() async throws {
        let store = try await store(.verified)
        #expect(try await poll(store) == "pending")
        #expect(try await poll(store) == "slowDown")
        #expect(try await DeviceStep.approve.take(store))
        #expect(try await poll(store) == "redeemed payload")
    }

    @Test("What is given back is approved as before, until it expires")
    func giveBack() async throws {
        let store = try await store(.approved)
        guard case .redeemed(let grant, let payload) = try await store.poll(.device, client: "tv", at: now) else {
            Issue.record("It is not redeemed.")
            return
        }
        try await store.giveBack(grant, as: .device, payload: payload)
        for step in DeviceStep.allCases { #expect(try await !step.take(store)) }
        #expect(try await store.poll(.device, client: "tv", at: later).name == "expired")
        #expect(try await poll(store) == "redeemed payload")
        #expect(try await poll(store) == "replayed")
    }

    @Test("Of fifty polls at once one redeems", arguments: Backend.allCases)
    func race(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
            for step in DeviceStep.path(to: .approved) { #expect(try await step.take(store)) }
            let polls = try await all(50) { _ in try await store.poll(.device, client: "tv", at: now).name }
            #expect(polls.count { $0 == "redeemed payload" } == 1)
            #expect(polls.count { $0 == "replayed" } == 49)
        }
    }

    @Test("SR-03: two servers on one file: one redeems, and one step is taken once")
    func twoServers() async throws {
        let folder = try TemporaryFolder()
        let stores = [try SQLiteStore.open(path: folder.database), try SQLiteStore.open(path: folder.database)]
        for round in 0..<5 {
            let record = SpentRecord.baseline("\(round)", .deviceCode)
            #expect(try await stores[0].keep(DeviceGrant.baseline("\(round)"), as: record))
            #expect(try await !stores[1].keep(DeviceGrant.baseline("\(round)"), as: .baseline("x", .deviceCode)))
            for step in DeviceStep.path(to: .verified) { #expect(try await step.take(stores[1], "\(round)")) }
            let approvals = try await all(20) { try await DeviceStep.approve.take(stores[$0 % 2], "\(round)") }
            #expect(approvals.count { $0 } == 1)
            let polls = try await all(20) { try await stores[$0 % 2].poll(record, client: "tv", at: now).name }
            #expect(polls.count { $0 == "redeemed payload" } == 1)
            #expect(polls.count { $0 == "replayed" } == 19)
        }
        for store in stores { try store.close() }
    }

    @Test("A code that was spent without its grant redeems nothing, and leaves it")
    func spentBefore() async throws {
        for state in [DeviceGrantState.approved, .denied] {
            let store = try await store(state)
            _ = try await store.spend([.device], at: now)
            #expect(try await poll(store) == "replayed")
            try await store.giveBack([.device])
            #expect(try await poll(store) == (state == .approved ? "redeemed payload" : "denied"))
        }
    }

    @Test("Sweeping takes what has expired, the oldest first, and so many at most", arguments: Backend.allCases)
    func sweep(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            for index in 0..<5 {
                let record = SpentRecord.baseline("\(index)", .deviceCode)
                #expect(try await store.keep(DeviceGrant.baseline("\(index)"), as: record))
            }
            #expect(try await store.sweepDeviceGrants(expiredBefore: later, atMost: 10) == 0)
            #expect(try await store.sweepDeviceGrants(expiredBefore: later + .seconds(1), atMost: 0) == 0)
            #expect(try await store.sweepDeviceGrants(expiredBefore: later + .seconds(1), atMost: -1) == 0)
            #expect(try await store.sweepDeviceGrants(expiredBefore: later + .seconds(1), atMost: 3) == 3)
            #expect(try await store.sweepDeviceGrants(expiredBefore: later + .seconds(1), atMost: 10) == 2)
            #expect(try await store.poll(.baseline("0", .deviceCode), client: "tv", at: now).name == "unknown")
        }
    }
}
