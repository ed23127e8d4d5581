import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of device grants", .serialized)
struct DeviceConformance {
    /// Stores the grant of a code, and advances it to a state.
    private func keep(_ code: String, _ store: any Store, _ state: DeviceGrantState = .pending) async throws {
        #expect(try await store.keep(DeviceGrant.baseline(code), as: .baseline(code, .deviceCode)))
        for step in DeviceStep.path(to: state) { #expect(try await step.take(store, code)) }
    }

    private func poll(
        _ code: String, _ store: any Store, client: ClientID = "tv", after seconds: Int = 0
    ) async throws -> String {
        try await store.poll(.baseline(code, .deviceCode), client: client, at: now + .seconds(seconds)).name
    }

    private func state(_ code: String, _ store: any Store) async throws -> DeviceGrantState? {
        try await store.deviceGrant(userCodeDigest: DeviceGrant.digest(code), at: now)?.state
    }

    @Test("A grant is found only by its user code and has the stored values", arguments: Database.allCases)
    func found(database: Database) async throws {
        try await database.withStore { store async throws in
            let bare = DeviceGrant(
                userCodeDigest: DeviceGrant.digest("B"), client: "tv", provider: nil, scopes: [], expiresAt: later)
            #expect(try await store.keep(bare, as: .baseline("B", .deviceCode)))
            try await keep("A", store)
            let found = try #require(try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("A"), at: now))
            #expect(found.state == .pending)
            #expect(found.grant.client == "tv" && found.grant.provider == "yahoo.com")
            #expect(found.grant.scopes == ["mail-r", "sdct-w"] && found.grant.expiresAt == later)
            #expect(found.grant.userCodeDigest == DeviceGrant.digest("A"))
            let other = try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("B"), at: now)?.grant
            #expect(other?.provider == nil && other?.scopes == [])
            #expect(try await state("C", store) == nil)
            #expect(try await store.deviceGrant(userCodeDigest: DeviceGrant.digest("A"), at: later) == nil)
        }
    }

    @Test("A user code or device code that is in use is refused for a second grant", arguments: Database.allCases)
    func collision(database: Database) async throws {
        try await database.withStore { store async throws in
            try await keep("A", store)
            #expect(try await !store.keep(DeviceGrant.baseline("A"), as: .baseline("B", .deviceCode)))
            #expect(try await !store.keep(DeviceGrant.baseline("B"), as: .baseline("A", .deviceCode)))
            #expect(try await poll("B", store) == "unknown")
            #expect(try await poll("A", store) == "pending")
        }
    }

    @Test(
        "DG-03: each step leads to its next state, fails from other states, and fails after the expiry",
        arguments: Database.allCases)
    func transitions(database: Database) async throws {
        try await database.withStore { store async throws in
            for state in DeviceGrantState.allCases {
                for step in DeviceStep.allCases {
                    for isOwner in [true, false] {
                        let code = "\(state) \(step) \(isOwner)"
                        try await keep(code, store, state)
                        let owner = isOwner ? DeviceStep.owner : DeviceStep.another
                        #expect(try await !step.take(store, code, owner: owner, at: later))
                        let end = step.end(from: state, isOwner: isOwner)
                        #expect(try await step.take(store, code, owner: owner) == (end != nil), "\(code)")
                        #expect(try await self.state(code, store) == end ?? state, "\(code)")
                    }
                }
            }
        }
    }

    @Test("Only the payload that was verified last can be approved", arguments: Database.allCases)
    func payload(database: Database) async throws {
        try await database.withStore { store async throws in
            try await keep("A", store, .verified)
            #expect(try await DeviceStep.claim.take(store, "A"))
            #expect(try await !DeviceStep.approve.take(store, "A"))
            #expect(
                try await store.verify(
                    userCodeDigest: DeviceGrant.digest("A"), owner: DeviceStep.owner, payload: "second",
                    payloadDigest: DeviceGrant.digest("second"), at: now))
            #expect(try await !DeviceStep.approve.take(store, "A"), "That would be the first one.")
            #expect(
                try await store.approve(
                    userCodeDigest: DeviceGrant.digest("A"), owner: DeviceStep.owner,
                    payloadDigest: DeviceGrant.digest("second"), at: now))
            #expect(try await poll("A", store) == "redeemed second")
        }
    }

    @Test(
        "DG-05, DG-06: each state gives its own response to the device of the grant, and a final one only once",
        arguments: Database.allCases)
    func polls(database: Database) async throws {
        try await database.withStore { store async throws in
            for (state, name) in [
                (DeviceGrantState.pending, "pending"), (.claimed, "pending"), (.verified, "pending"),
                (.approved, "redeemed payload"), (.denied, "denied"),
            ] {
                let code = state.rawValue
                try await keep(code, store, state)
                for client: ClientID in ["TV", "", "tv\0"] {
                    #expect(try await poll(code, store, client: client) == "unknown")
                }
                #expect(try await poll(code, store, after: 600) == "expired")
                #expect(try await poll(code, store) == name)
                #expect(try await poll(code, store) == (name == "pending" ? "slowDown" : "replayed"))
            }
        }
    }

    @Test(
        "RFC 8628 §3.5: a poll before the interval is over gets slow_down, and adds 5 seconds, up to 60",
        arguments: Database.allCases)
    func slowDown(database: Database) async throws {
        try await database.withStore { store async throws in
            try await keep("A", store)
            var moment = 0
            #expect(try await poll("A", store, after: moment) == "pending")
            for interval in stride(from: 5, through: 55, by: 5) {
                moment += interval - 1
                #expect(try await poll("A", store, after: moment) == "slowDown", "before \(interval) seconds")
            }
            #expect(try await poll("A", store, after: moment + 59) == "slowDown")
            #expect(try await poll("A", store, after: moment + 60) == "pending")
            try await keep("B", store)
            for moment in stride(from: 0, to: 60, by: 5) {
                #expect(try await poll("B", store, after: moment) == "pending")
            }
        }
    }

    @Test(
        "An approved grant is redeemed with its stored values, even before the interval is over",
        arguments: Database.allCases)
    func fast(database: Database) async throws {
        try await database.withStore { store async throws in
            try await keep("A", store, .verified)
            try await keep("other", store)
            #expect(try await poll("A", store) == "pending")
            #expect(try await poll("A", store) == "slowDown")
            #expect(try await DeviceStep.approve.take(store, "A"))
            let poll = try await store.poll(.baseline("A", .deviceCode), client: "tv", at: now)
            guard case .redeemed(let grant, "payload") = poll else {
                Issue.record("It is not redeemed.")
                return
            }
            #expect(grant.userCodeDigest == DeviceGrant.digest("A") && grant.client == "tv")
            #expect(grant.provider == "yahoo.com" && grant.scopes == ["mail-r", "sdct-w"] && grant.expiresAt == later)
            #expect(try await store.spend([.baseline("A", .deviceCode)], at: now) == .replayed(.deviceCode))
            #expect(try await state("other", store) == .pending, "No step of one grant touches another.")
        }
    }

    @Test("A grant that was given back is approved as before, until it expires", arguments: Database.allCases)
    func giveBack(database: Database) async throws {
        try await database.withStore { store async throws in
            try await keep("A", store, .approved)
            let record = SpentRecord.baseline("A", .deviceCode)
            guard case .redeemed(let grant, let payload) = try await store.poll(record, client: "tv", at: now) else {
                Issue.record("It is not redeemed.")
                return
            }
            #expect(try await state("A", store) == nil)
            try await store.giveBack(grant, as: record, payload: payload)
            for step in DeviceStep.allCases { #expect(try await !step.take(store, "A")) }
            #expect(try await poll("A", store, after: 600) == "expired")
            #expect(try await poll("A", store) == "redeemed payload")
            #expect(try await poll("A", store) == "replayed")
        }
    }

    @Test("The reason of a denial is returned as it was given", arguments: Database.allCases)
    func denials(database: Database) async throws {
        try await database.withStore { store async throws in
            let denials: [DeviceDenial] = [
                .refused, .accountExists, .emailDomainNotAllowed, .blocked(message: nil), .blocked(message: ""),
                .blocked(message: "blocked_by_hook:é e\u{301}"),
            ]
            for (index, denial) in denials.enumerated() {
                try await keep("\(index)", store)
                #expect(
                    try await store.deny(
                        userCodeDigest: DeviceGrant.digest("\(index)"), owner: DeviceGrant.digest("o"),
                        because: denial, at: now))
                let answer = try await store.poll(.baseline("\(index)", .deviceCode), client: "tv", at: now)
                guard case .denied(let found) = answer else {
                    Issue.record("\(answer.name)")
                    continue
                }
                #expect(found == denial)
            }
        }
    }

    @Test("A device code that was spent separately redeems nothing, and its grant stays", arguments: Database.allCases)
    func spentBefore(database: Database) async throws {
        try await database.withStore { store async throws in
            for state in [DeviceGrantState.approved, .denied] {
                let code = state.rawValue
                try await keep(code, store, state)
                _ = try await store.spend([.baseline(code, .deviceCode)], at: now)
                #expect(try await poll(code, store) == "replayed")
                try await store.giveBack([.baseline(code, .deviceCode)])
                #expect(try await poll(code, store) == (state == .approved ? "redeemed payload" : "denied"))
            }
        }
    }

    @Test("DG-11, DG-14: at two servers each step succeeds once, and one poll redeems", arguments: Database.allCases)
    func races(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<3 {
                let code = "\(round)"
                try await keep(code, stores[0])
                let owners = try await all(30) { index in
                    let owner = DeviceGrant.digest("\(index)")
                    return try await DeviceStep.claim.take(stores[index % 2], code, owner: owner) ? owner : nil
                }.compactMap(\.self)
                #expect(owners.count == 1)
                let owner = try #require(owners.first)
                #expect(try await DeviceStep.verify.take(stores[1], code, owner: owner))
                let words = try await all(30) { index in
                    let step = index.isMultiple(of: 3) ? DeviceStep.deny : .approve
                    return try await step.take(stores[index % 2], code, owner: owner) ? step : nil
                }.compactMap(\.self)
                #expect(words.count == 1)
                let names = try await all(30) { try await poll(code, stores[$0 % 2]) }
                #expect(names.count { $0 == (words == [.approve] ? "redeemed payload" : "denied") } == 1)
                #expect(names.count { $0 == "replayed" } == 29)
            }
        }
    }

    @Test("A sweep removes expired grants, as many as the limit allows", arguments: Database.allCases)
    func sweep(database: Database) async throws {
        try await database.withStore { store async throws in
            for index in 0..<5 { try await keep("\(index)", store) }
            #expect(try await store.sweepDeviceGrants(expiredBefore: later, atMost: 9) == 0)
            for (limit, count) in [(0, 0), (-1, 0), (3, 3), (9, 2)] {
                let swept = try await store.sweepDeviceGrants(expiredBefore: later + .seconds(1), atMost: limit)
                #expect(swept == count)
            }
            #expect(try await poll("0", store) == "unknown")
        }
    }
}
