import JOSE
import Stores
import Testing

@Suite("Conformance of the record of servers", .serialized)
struct ServerConformance {
    private static func server(
        _ id: UInt8, _ name: String = "a", sealKeys: [String] = ["k1", "k2"], storeKeys: [String] = ["k3"]
    ) -> RunningServer {
        RunningServer(
            id: [0, id], name: name, keys: KeyFingerprints(sealKeys: sealKeys, storeKeys: storeKeys))
    }

    @Test(
        "The servers are those of all processes, by name, each as it last announced itself",
        arguments: Database.allCases)
    func announcements(database: Database) async throws {
        try await database.withStores(2) { stores in
            #expect(try await stores[0].servers(at: now) == [])
            try await stores[0].announce(Self.server(1, "é (process 2)"), at: now)
            try await stores[1].announce(Self.server(2, "a"), at: now)
            // Two containers may have the same name and process ID.
            try await stores[1].announce(Self.server(3, "a"), at: now)
            let changed = Self.server(1, "b", sealKeys: ["k2"], storeKeys: [])
            try await stores[0].announce(changed, at: now + .seconds(4))
            for store in stores {
                #expect(try await store.servers(at: now) == [Self.server(2, "a"), Self.server(3, "a"), changed])
            }
        }
    }

    @Test("A server that stops is none of them", arguments: Database.allCases)
    func withdrawal(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.announce(Self.server(1), at: now)
            try await store.announce(Self.server(2), at: now)
            try await store.withdraw([0, 1])
            try await store.withdraw([0, 3])
            #expect(try await store.servers(at: now) == [Self.server(2)])
        }
    }

    @Test("A server that was not announced for 90 seconds is none of them", arguments: Database.allCases)
    func age(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.announce(Self.server(1), at: now)
            #expect(try await store.servers(at: now + .seconds(90)) == [Self.server(1)])
            #expect(try await store.servers(at: now + .seconds(91)) == [])
            try await store.announce(Self.server(2), at: now + .seconds(90))
            #expect(try await store.servers(at: now + .seconds(90)) == [Self.server(1), Self.server(2)])
            // The announcement of another server deletes the record.
            try await store.announce(Self.server(2), at: now + .seconds(91))
            #expect(try await store.servers(at: now) == [Self.server(2)])
        }
    }
}
