import Flows
import HTTPTypes
import Hummingbird
import JOSE
import Jansson
import Standards
import Support
import Synchronization
import Testing
import Transport

@testable import Server

@Suite("Limits")
struct LimitTests {
    private static let time = TimeSource { NumericDate(1_700_000_000) }

    private static func network(_ octets: [UInt8]) -> ClientNetwork { ClientNetwork(of: octets) }

    private static func v6(_ groups: UInt16...) -> ClientNetwork {
        network((groups + Array(repeating: 0, count: 8 - groups.count)).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }

    @Test("IPv4 is counted by the address, also in its mapped form; IPv6 by /64 and by /48")
    func networks() {
        #expect(Self.network([192, 0, 2, 1]) == Self.network([192, 0, 2, 1]))
        #expect(Self.network([192, 0, 2, 1]) != Self.network([192, 0, 2, 2]))
        #expect(Self.network([192, 0, 2, 1]).site == nil)
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1]
        #expect(Self.network(mapped) == Self.network([192, 0, 2, 1]))
        #expect(Self.v6(0x2001, 0xDB8, 1, 2, 3) == Self.v6(0x2001, 0xDB8, 1, 2, 4, 5))
        #expect(Self.v6(0x2001, 0xDB8, 1, 2).name != Self.v6(0x2001, 0xDB8, 1, 3).name)
        #expect(Self.v6(0x2001, 0xDB8, 1, 2).site == Self.v6(0x2001, 0xDB8, 1, 3).site)
        #expect(Self.v6(0x2001, 0xDB8, 1, 2).site != Self.v6(0x2001, 0xDB8, 2, 2).site)
        // A site and a network that begin alike are two.
        #expect(Self.v6(0x2001, 0xDB8, 1).site != Self.v6(0x2001, 0xDB8, 1).name)
    }

    @Test("HT-09: the networks of one /48 share sixteen budgets, and a refusal costs neither the network nor the site")
    func site() throws {
        let limiter = NetworkRateLimiter(RateLimit(count: 2, period: .seconds(60)), named: "a", time: Self.time)
        for number in UInt16(0)..<15 {
            for _ in 0..<2 { try limiter.take(Self.v6(0x2001, 0xDB8, 1, number)) }
        }
        // Refused for its network, so that the site keeps its last two.
        expectImmediateRefusal(Reason.rateLimited) { try limiter.take(Self.v6(0x2001, 0xDB8, 1, 0)) }
        for number in UInt16(15)..<17 { try limiter.take(Self.v6(0x2001, 0xDB8, 1, number)) }
        // Refused for its site: 32 in 60 seconds are one in two.
        expectImmediateRefusal(Reason.rateLimited) { try limiter.take(Self.v6(0x2001, 0xDB8, 1, 99)) }
        try limiter.take(Self.v6(0x2001, 0xDB8, 2, 0))
        try limiter.take(Self.network([192, 0, 2, 1]))
        limiter.refund(Self.v6(0x2001, 0xDB8, 1, 16))
        // The network of before still has both of its tokens.
        try limiter.take(Self.v6(0x2001, 0xDB8, 1, 99))
        limiter.refund(Self.v6(0x2001, 0xDB8, 1, 16))
        try limiter.take(Self.v6(0x2001, 0xDB8, 1, 99))
    }

    @Test("Above the capacity, full buckets and the oldest others are removed until an eighth is free")
    func capacity() throws {
        let clock = Mutex(NumericDate(1_700_000_000))
        let limiter = RateLimiter(
            RateLimit(count: 1, period: .seconds(3600)), named: "a", time: TimeSource { clock.withLock(\.self) },
            capacity: 16)
        for number in 0..<16 {
            try limiter.take("\(number)")
            clock.withLock { $0 = $0 + .seconds(1) }
        }
        // One bucket is full, so that its removal alone would make room for one request.
        limiter.refund("9")
        try limiter.take("new")
        expectImmediateRefusal(Reason.rateLimited) { try limiter.take("1") }
        expectImmediateRefusal(Reason.rateLimited) { try limiter.take("15") }
        expectImmediateRefusal(Reason.rateLimited) { try limiter.take("new") }
        // That of 0 was the oldest.
        try limiter.take("0")
        expectImmediateRefusal(Reason.rateLimited) { try limiter.take("1") }
    }

    @Test("A body that is being received holds no place, and must find one when it is complete")
    func receiving() async throws {
        let concurrencyLimit = ConcurrencyLimit(maximum: 1, maximumBodies: 1)
        var places = [concurrencyLimit.enter()]
        try await concurrencyLimit.whileReceiving { () async throws(Refusal) in
            #expect(concurrencyLimit.inFlight == 0)
            #expect(concurrencyLimit.bodies == 1)
        }
        #expect(concurrencyLimit.inFlight == 1)
        #expect(concurrencyLimit.bodies == 0)
        let other = Mutex([ConcurrencyLimit.Place]())
        await expectRefusal(Reason.overloaded) {
            try await concurrencyLimit.whileReceiving { () async throws(Refusal) in
                other.withLock { $0.append(concurrencyLimit.enter()) }
            }
        }
        // Two are in: the request that was refused leaves as any other.
        #expect(concurrencyLimit.inFlight == 2)
        other.withLock { $0 = [] }
        places = []
        #expect(concurrencyLimit.inFlight == 0)
        #expect(places.isEmpty)
    }

    @Test("No more bodies than the limit are received concurrently, and one that fails frees its place")
    func bodies() async throws {
        let concurrencyLimit = ConcurrencyLimit(maximum: 9, maximumBodies: 1)
        let places = [concurrencyLimit.enter(), concurrencyLimit.enter()]
        let outer = await refusal { () async throws(Refusal) in
            let inner = await refusal {}
            #expect(
                inner == .overloaded.with(finding: "1 bodies are being received, as many as may be connections"))
            #expect(concurrencyLimit.inFlight == 1)
            throw .bodyTooLarge
        }
        #expect(outer == .bodyTooLarge)
        #expect(concurrencyLimit.inFlight == places.count)
        #expect(await refusal {} == nil)

        func refusal(_ receive: () async throws(Refusal) -> Void) async -> Refusal? {
            do throws(Refusal) {
                try await concurrencyLimit.whileReceiving(receive)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("A request without a place is refused, and its refusal is counted until it is sent")
    func places() {
        let concurrencyLimit = ConcurrencyLimit(maximum: 1, maximumBodies: 1)
        var places = [concurrencyLimit.enter(), concurrencyLimit.enter()]
        let refusal = Refusal.overloaded.with(
            finding: "1 requests are in flight, which is the limit server.max_in_flight")
        #expect(places.map(\.refusal) == [nil, refusal])
        #expect(concurrencyLimit.inFlight == 2)
        places = []
        #expect(concurrencyLimit.inFlight == 0)
        concurrencyLimit.drain()
        places = [concurrencyLimit.enter()]
        #expect(places.map(\.refusal) == [.draining])
    }

    @Test("A client that has not read its response for the longest time loses its place to a new request")
    func unread() {
        let concurrencyLimit = ConcurrencyLimit(maximum: 3, maximumBodies: 1)
        let places = (0..<3).map { _ in concurrencyLimit.enter() }
        let gone = Witnesses()
        let clients = (0..<3).map(gone.occupant)
        for (place, client) in zip(places, clients) { place.offer(client) }
        places[0].keep(clients[0])
        #expect(concurrencyLimit.enter().refusal == nil)
        #expect(gone.names == ["1"])
        #expect(concurrencyLimit.enter().refusal == nil)
        #expect(gone.names == ["1", "2"])
        #expect(concurrencyLimit.enter().refusal?.reason == .overloaded)
    }

    @Test("What gives way is told with the limit that is reached, and with its network if it is the limit of that")
    func reachedLimit() {
        let told = Mutex([String]())
        let occupancy = Occupancy(maximum: 3, maximumOfNetwork: 2) { limit, crowd in
            told.withLock { $0.append("\(limit) of \(crowd?.shown ?? "all")") }
        }
        for network in ["a", "a", "a", "b"] {
            _ = occupancy.arrive()
            _ = occupancy.enter(Occupant(network: network, shown: network) {})
        }
        #expect(told.withLock(\.self) == ["2 of a", "3 of all"])
    }

    @Test("The connection that has waited longest for its client gives way to a new one, and none that is served")
    func occupancy() {
        let gone = Witnesses()
        let occupancy = Occupancy(maximum: 3, maximumOfNetwork: 3)
        let clients = (0..<3).map(gone.occupant)
        for client in clients {
            #expect(occupancy.arrive())
            #expect(occupancy.enter(client))
        }
        occupancy.work(clients[0])
        occupancy.wait(clients[1])
        #expect(occupancy.hasRoom())
        #expect(occupancy.arrive())
        #expect(gone.names == ["2"])
        #expect(occupancy.arrive())
        #expect(gone.names == ["2", "1"])
        #expect(!occupancy.hasRoom())
        #expect(!occupancy.arrive())
        // The listener has no place: the first that is served no longer gives way at once.
        occupancy.wait(clients[0])
        #expect(gone.names == ["2", "1", "0"])
        for client in clients { occupancy.leave(client) }
        for _ in 0..<6 { occupancy.depart() }
        #expect(occupancy.count == 0)
        #expect(occupancy.hasRoom())
    }

    @Test("A network has its share of the connections, and a trusted proxy all of them")
    func share() {
        let gone = Witnesses()
        let occupancy = Occupancy(maximum: 100, maximumOfNetwork: 2)
        let clients = ["a", "a", "b", "a", "b"].enumerated().map { gone.occupant($0.offset, network: $0.element) }
        for client in clients.prefix(3) { #expect(occupancy.enter(client)) }
        #expect(occupancy.enter(clients[3]))
        #expect(gone.names == ["0"])
        // All of this network are served.
        occupancy.leave(clients[0])
        occupancy.work(clients[1])
        occupancy.work(clients[3])
        #expect(!occupancy.enter(gone.occupant(5, network: "a")))
        #expect(occupancy.enter(clients[4]))
        for number in 6..<50 { #expect(occupancy.enter(gone.occupant(number))) }
        #expect(gone.names == ["0"])
        #expect(Occupancy(maximum: 16384).maximumOfNetwork == 2048)
        #expect(Occupancy(maximum: 16).maximumOfNetwork == 8)
    }

    @Test("The queue of those that wait does not grow with the times that one has waited")
    func queue() {
        let gone = Witnesses()
        let clients = (0..<3).map(gone.occupant)
        var list = WaitingList()
        for number in 0..<1000 { list.append(clients[number % 3]) }
        #expect(list.queueLength <= 2 * 3 + 16)
        list.remove(clients[1])
        #expect(list.popFirst() === clients[2])
        #expect(list.popFirst() === clients[0])
        #expect(list.isEmpty)
        #expect(list.popFirst() == nil)
    }

    @Test(
        "The connections follow from the descriptors: half of them, minus the reserve",
        arguments: [(200, 16), (256, 28), (1024, 412), (4096, 1948), (65536, 16384), (Int.max, 16384), (0, 16)])
    func descriptors(descriptors: Int, connections: Int) {
        var limits = ServerLimits()
        limits.fit(descriptors: descriptors, eventLoops: 2, memory: nil)
        #expect(limits.connections == connections)
        #expect(limits.streams == 16384)
    }

    @Test(
        "Connections and streams follow from the memory: half of it each, minus that of the process",
        arguments: [(512, 768, 1024), (1024, 1792, 2389), (65536, 16384, 16384), (128, 16, 16), (0, 16, 16)])
    func memory(mebibytes: Int, connections: Int, streams: Int) {
        var limits = ServerLimits()
        limits.fit(descriptors: 1 << 20, eventLoops: 2, memory: mebibytes << 20)
        #expect(limits.connections == connections)
        #expect(limits.streams == streams)
    }

    @Test("Spare descriptors can be let go and had again, in any order")
    func spares() {
        let spares = SpareDescriptors(count: 3)
        #expect(spares.take())
        spares.release()
        spares.release()
        #expect(spares.take())
    }
}

/// Occupants that note their names when they have to give way.
private final class Witnesses: Sendable {
    private let list = Mutex([String]())

    var names: [String] { list.withLock { $0 } }

    func occupant(_ number: Int) -> Occupant { occupant(number, network: nil) }

    func occupant(_ number: Int, network: String?) -> Occupant {
        Occupant(network: network) { [self] in list.withLock { $0.append("\(number)") } }
    }
}

@Suite("Trying again", .serialized, .timeLimit(.minutes(5)))
struct RetryTests {
    @Test("A code stays usable if the provider refused for now")
    func code() async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody()
            try await server.standIns.fault("yahoo.token", ["status": 503])
            try expectRefusal(try await server.exchange(body), "provider_error", retry: "same")
            #expect(try await server.exchange(body).status == 200)
        }
    }

    @Test("A callback stays usable if the provider refused for now")
    func callback() async throws {
        try await TestServer.open { server in
            let body = try await server.callbackBody()
            try await server.standIns.fault("yahoo.token", ["status": 429])
            try expectRefusal(try await server.exchange(body), "provider_error", retry: "same")
            #expect(try await server.exchange(body).status == 200)
        }
    }

    @Test("A request whose custom token no process could sign now is refused before anything is spent for it")
    func overload() async throws {
        var plan = Plan()
        plan.signer = .overloaded(isFull: true)
        try await TestServer.open(plan) { server in
            let body = try await server.codeBody()
            let asked = try await server.standIns.calls(of: "yahoo.token")
            try expectRefusal(try await server.exchange(body), "overloaded", retry: "same")
            #expect(try await server.standIns.calls(of: "yahoo.token") == asked)
        }
    }

    @Test("If retry is restart, the credential is spent")
    func restart() async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody()
            try await server.standIns.fault("yahoo.token", ["drop": true])
            try expectRefusal(try await server.exchange(body), "provider_unreachable", retry: "restart")
            try expectRefusal(try await server.exchange(body), "replayed")
        }
    }

    @Test("A pair of tokens whose check was put off keeps its nonce")
    func tokenPair() async throws {
        try await TestServer.open { server in
            let body = try await server.tokenPairBody()
            try await server.standIns.fault("x.verify_credentials", ["status": 503])
            try expectRefusal(try await server.exchange(body), "provider_error", retry: "same")
            #expect(try await server.exchange(body).status == 200)
        }
    }

    @Test(
        "UP-12: the provider's Retry-After is passed on in seconds, a minute at most",
        arguments: zip(["7", "99999999", "garbage", "-1", nil], ["7", "60", "5", "5", "5"]))
    func retryAfter(theirs: String?, ours: String) async throws {
        try await TestServer.open { server in
            let header: JSON = theirs.map { ["Retry-After": .string($0)] } ?? [:]
            for status: Int64 in [429, 503] {
                let body = try await server.codeBody()
                try await server.standIns.fault("yahoo.token", ["status": .integer(status), "header": header])
                let response = try await server.exchange(body)
                try expectRefusal(response, "provider_error", retry: "same")
                #expect(response[field: "Retry-After"] == ours)
            }
        }
    }

    @Test("R-21: clients that one outage refuses return at different times, and one that is too fast at its own")
    func spread() {
        func times(_ error: Refusal) -> Set<String> {
            Set(
                (0..<200).compactMap { _ in
                    Response.refusal(ErrorResponse(error), requestID: "r").headers[.retryAfter]
                })
        }
        #expect(times(.overloaded) == ["1", "2", "3", "4"])
        #expect(times(.rateLimited(retryAfter: 30)) == ["30"])
    }
}
