import JOSE
import SQLiteStores
import Stores
import Testing

@Suite("Device grants")
struct DeviceGrantTests {
    /// A store in which the baseline has come so far.
    private func store(_ state: DeviceGrantState) async throws -> SQLiteStore {
        let store = try SQLiteStore.inMemory()
        #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
        for step in DeviceStep.path(to: state) { #expect(try await step.take(store)) }
        return store
    }

    private func state(_ store: any Store) async throws -> DeviceGrantState? {
        try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("WDJBMJHT"), at: now)?.state
    }

    @Test("A grant is found as it was kept, by its user code alone", arguments: Backend.allCases)
    func found(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
            let found = try #require(
                try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("WDJBMJHT"), at: now))
            #expect(found.state == .pending)
            #expect(found.grant.client == "tv" && found.grant.provider == "yahoo.com")
            #expect(found.grant.scopes == ["mail-r", "sdct-w"] && found.grant.expiresAt == later)
            #expect(found.grant.userCodeDigest == DeviceGrant.digest("WDJBMJHT"))
            for other in [DeviceGrant.digest("WDJBMJHX"), SpentRecord.device.digest, []] {
                #expect(try await store.deviceGrant(userCodeDigest: other, at: now) == nil)
            }
        }
    }

    @Test("A grant may name no provider and no scopes")
    func bare() async throws {
        let store = try SQLiteStore.inMemory()
        let bare = DeviceGrant(
            userCodeDigest: DeviceGrant.digest("B"), client: "tv", provider: nil, scopes: [], expiresAt: later)
        #expect(try await store.keep(bare, as: .device))
        let found = try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("B"), at: now)?.grant
        #expect(found?.provider == nil && found?.scopes == [])
    }

    @Test("A user code is one device's, and so is a device code")
    func collision() async throws {
        let store = try SQLiteStore.inMemory()
        #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
        #expect(try await !store.keep(DeviceGrant.baseline(), as: .baseline("other", .deviceCode)))
        #expect(try await !store.keep(DeviceGrant.baseline("OTHERCDE"), as: .device))
        #expect(try await store.poll(.baseline("other", .deviceCode), client: "tv", at: now).name == "unknown")
        #expect(try await store.poll(.device, client: "tv", at: now).name == "pending")
    }

    @Test(
        "Each step leads where it should, and from nowhere else, for the owner and for others",
        arguments: DeviceGrantState.allCases, DeviceStep.allCases)
    func transition(from state: DeviceGrantState, step: DeviceStep) async throws {
        for isOwner in [true, false] {
            let store = try await store(state)
            let end = step.end(from: state, isOwner: isOwner)
            let isTaken = try await step.take(store, owner: isOwner ? DeviceStep.owner : DeviceStep.another)
            #expect(isTaken == (end != nil))
            #expect(try await self.state(store) == end ?? state)
        }
    }

    @Test("DG-03: no step is taken once the grant has expired, nor is it found", arguments: DeviceGrantState.allCases)
    func expired(state: DeviceGrantState) async throws {
        for step in DeviceStep.allCases {
            let store = try await store(state)
            #expect(try await !step.take(store, at: later))
            #expect(try await self.state(store) == state)
            #expect(
                try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("WDJBMJHT"), at: later) == nil)
            #expect(try await store.poll(.device, client: "tv", at: later).name == "expired")
            #expect(try await store.poll(.device, client: "tv", at: later).name == "expired")
        }
        let store = try await store(.claimed)
        #expect(try await DeviceStep.verify.take(store, at: later + .seconds(-1)))
    }

    @Test("No step of one grant touches another")
    func other() async throws {
        let store = try await store(.pending)
        #expect(try await store.keep(DeviceGrant.baseline("OTHERCDE"), as: .baseline("other", .deviceCode)))
        for step in [DeviceStep.claim, .verify, .approve] { #expect(try await step.take(store)) }
        let other = try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("OTHERCDE"), at: now)
        #expect(other?.state == .pending)
    }

    @Test("Claiming anew forgets what the last sign-in gave")
    func claimAnew() async throws {
        let store = try await store(.verified)
        #expect(try await DeviceStep.claim.take(store))
        #expect(try await !DeviceStep.approve.take(store))
        #expect(
            try await store.verify(
                userCodeDigest: DeviceGrant.digest("WDJBMJHT"), owner: DeviceStep.owner, payload: "second",
                payloadDigest: DeviceGrant.digest("second"), at: now))
        #expect(try await !DeviceStep.approve.take(store), "That would be the first one.")
        #expect(
            try await store.approve(
                userCodeDigest: DeviceGrant.digest("WDJBMJHT"), owner: DeviceStep.owner,
                payloadDigest: DeviceGrant.digest("second"), at: now))
        #expect(try await store.poll(.device, client: "tv", at: now).name == "redeemed second")
    }

    @Test("DG-11: of fifty browsers that claim a code at once one owns it", arguments: Backend.allCases)
    func claimRace(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
            let owners = try await all(50) { index in
                try await DeviceStep.claim.take(store, owner: DeviceGrant.digest("\(index)")) ? index : nil
            }
            let winner = try #require(owners.compactMap(\.self).first)
            #expect(owners.compactMap(\.self).count == 1)
            for index in 0..<50 {
                #expect(
                    try await DeviceStep.verify.take(store, owner: DeviceGrant.digest("\(index)")) == (index == winner))
            }
        }
    }

    @Test("DG-14: of approvals and refusals at once one is the last word")
    func lastWordRace() async throws {
        for _ in 0..<10 {
            let store = try await store(.verified)
            let words = try await all(50) { index in
                let step = index.isMultiple(of: 2) ? DeviceStep.approve : .deny
                return try await step.take(store) ? step : nil
            }.compactMap(\.self)
            #expect(words.count == 1)
            let expected = words == [.approve] ? "redeemed payload" : "denied"
            #expect(try await store.poll(.device, client: "tv", at: now).name == expected)
        }
    }

    @Test("A store that is shut says so, and nothing was written")
    func shut() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.database)
        #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
        try store.close()
        await #expect(throws: StoreError.unavailable(.closed)) { _ = try await DeviceStep.claim.take(store) }
        await #expect(throws: StoreError.unavailable(.closed)) {
            _ = try await store.poll(.device, client: "tv", at: now)
        }
        await #expect(throws: StoreError.unavailable(.closed)) {
            _ = try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("WDJBMJHT"), at: now)
        }
    }
}
