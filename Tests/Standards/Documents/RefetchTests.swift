import JOSE
import Standards
import Testing
import Transport

@Suite("Fetching again for a missing value", .timeLimit(.minutes(5)))
struct RefetchTests {
    @Test("A document that contains the requested value is not fetched again")
    func satisfied() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a]")
        for _ in 1...3 {
            #expect(try await fixture.document.refreshed { $0.contains("a") } == ["a"])
        }
        #expect(fixture.peer.requests.count == 1)
    }

    @Test("JW-03: A new key is found by one fetch")
    func rotation() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[old]")
        _ = try await fixture.document.value()
        fixture.time.advance(by: .seconds(1))
        fixture.peer.prepare("[new]")
        #expect(try await fixture.document.refreshed { $0.contains("new") } == ["new"])
        #expect(try await fixture.document.value() == ["new"])
        #expect(fixture.peer.requests.count == 2)
    }

    @Test("A key that the peer has removed is unknown after the document has expired by a call")
    func expired() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[removed kept]")
        _ = try await fixture.document.value()
        await fixture.document.expire()
        fixture.peer.prepare("[kept]")
        #expect(try await fixture.document.refreshed { $0.contains("kept") } == ["kept"])
        #expect(try await fixture.document.value() == ["kept"])
        #expect(fixture.peer.requests.count == 2)
    }

    @Test("A document that has expired by a call stays in use if it cannot be fetched, and no longer than before")
    func expiredWithoutPeer() async throws {
        let fixture = Fixture()
        await fixture.document.expire()
        fixture.peer.prepare("[a]")
        _ = try await fixture.document.value()
        let usableUntil = try #require(await fixture.document.usableUntil)
        await fixture.document.expire()
        fixture.peer.prepare("", status: 500)
        #expect(try await fixture.document.value() == ["a"])
        #expect(try #require(await fixture.document.usableUntil) < usableUntil)
    }

    @Test("After a failure too, the next call after a call to expire waits for the document")
    func expiredAfterFailure() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[removed kept]")
        _ = try await fixture.document.value()
        fixture.peer.prepare("", status: 503)
        await #expect(throws: DocumentError.self) { try await fixture.document.refreshed { $0.contains("unknown") } }
        await fixture.document.expire()
        fixture.peer.prepare("[kept]")
        #expect(try await fixture.document.value() == ["kept"])
    }

    @Test("The response of a fetch that began before a call to expire is not kept")
    func expiredInFlight() async throws {
        let fixture = Fixture()
        async let waiting = fixture.document.value()
        await fixture.peer.isAsked(times: 1)
        await fixture.document.expire()
        fixture.peer.answer(1, "[removed]")
        #expect(try await waiting == ["removed"])
        fixture.peer.prepare("[kept]")
        #expect(try await fixture.document.value() == ["kept"])
    }

    @Test("JW-01: 500 unknown keys in 10 seconds cause one fetch, and known keys are still found")
    func unknownKeys() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[known]")
        _ = try await fixture.document.value()
        fixture.peer.prepare("[known]")
        for number in 0..<500 {
            if number.isMultiple(of: 50) { fixture.time.advance(by: .seconds(1)) }
            #expect(try await fixture.document.refreshed { $0.contains("unknown-\(number)") } == ["known"])
            #expect(try await fixture.document.refreshed { $0.contains("known") } == ["known"])
        }
        #expect(fixture.peer.requests.count == 2)
    }

    @Test("JW-01: 500 concurrent requests for unknown keys share one fetch")
    func unknownKeysAtOnce() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[known]")
        _ = try await fixture.document.value()
        try await withThrowingTaskGroup { group in
            for number in 0..<500 {
                group.addTask { try await fixture.document.refreshed { $0.contains("unknown-\(number)") } }
            }
            await fixture.peer.isAsked(times: 2)
            fixture.peer.answer(2, "[known]")
            for try await value in group { #expect(value == ["known"]) }
        }
        #expect(fixture.peer.requests.count == 2)
    }

    @Test(
        "JW-02: The interval of 30 seconds starts at a fetch, even if its document has no key",
        arguments: ["[]", "[useless]"])
    func emptySet(_ body: String) async throws {
        let fixture = Fixture()
        fixture.peer.prepare(body)
        _ = try await fixture.document.value()
        for (second, requests) in [(0, 2), (1, 2), (29, 2), (30, 3), (31, 3), (59, 3), (60, 4)] as [(Int64, Int)] {
            fixture.time.advance(to: second)
            fixture.peer.prepare(body)
            _ = try await fixture.document.refreshed { $0.contains("k") }
            #expect(fixture.peer.requests.count == requests, "after \(second) s")
        }
    }

    @Test("JW-02: The interval of 30 seconds starts at a fetch, even if its response is not a document")
    func noDocument() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a]")
        _ = try await fixture.document.value()
        for (second, requests) in [(0, 2), (1, 2), (29, 2), (30, 3), (59, 3), (60, 4)] as [(Int64, Int)] {
            fixture.time.advance(to: second)
            fixture.peer.prepare("<html>")
            await #expect(throws: DocumentError.malformed) {
                try await fixture.document.refreshed { $0.contains("k") }
            }
            #expect(fixture.peer.requests.count == requests, "after \(second) s")
            #expect(try await fixture.document.value() == ["a"])
        }
    }

    @Test("After a server error the next extra fetch is a second later, and the interval doubles")
    func serverError() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a]")
        _ = try await fixture.document.value()
        for (second, requests) in [(0, 2), (1, 3), (2, 3), (3, 4)] as [(Int64, Int)] {
            fixture.time.advance(to: second)
            // An answer that no request takes would be that of the next one.
            if second != 2 { fixture.peer.prepare(.success(OutboundResponse(status: 503))) }
            await #expect(throws: DocumentError.status(503)) {
                try await fixture.document.refreshed { $0.contains("k") }
            }
            #expect(fixture.peer.requests.count == requests, "after \(second) s")
        }
        // While the peer answers well, unknown keys cause one fetch in 30 seconds.
        for (second, requests) in [(7, 5), (8, 5), (36, 5), (37, 6)] as [(Int64, Int)] {
            fixture.time.advance(to: second)
            fixture.peer.prepare("[a]")
            _ = try await fixture.document.refreshed { $0.contains("k") }
            #expect(fixture.peer.requests.count == requests, "after \(second) s")
        }
    }

    @Test("JW-02: The interval of 30 seconds applies if there never was a document")
    func neverDocument() async throws {
        let fixture = Fixture()
        for (second, requests) in [(0, 1), (1, 1), (29, 1), (30, 2), (59, 2), (60, 3)] as [(Int64, Int)] {
            fixture.time.advance(to: second)
            fixture.peer.prepare("{}")
            await #expect(throws: DocumentError.malformed) {
                try await fixture.document.refreshed { $0.contains("k") }
            }
            await #expect(throws: DocumentError.malformed) { try await fixture.document.value() }
            #expect(fixture.peer.requests.count == requests, "after \(second) s")
        }
    }

    @Test("A document that was fetched for the same call is not fetched again")
    func firstFetch() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a]")
        #expect(try await fixture.document.refreshed { $0.contains("k") } == ["a"])
        #expect(fixture.peer.requests.count == 1)
    }

    @Test("If a value is missing while the peer is unreachable, the error is that of the peer")
    func outage() async throws {
        let fixture = Fixture()
        let down = TransportError.unreachable(host: "peer.example")
        fixture.peer.prepare("[a]")
        _ = try await fixture.document.value()
        fixture.peer.prepare(.failure(down))
        for _ in 1...3 {
            await #expect(throws: DocumentError.unreachable(down)) {
                try await fixture.document.refreshed { $0.contains("k") }
            }
        }
        #expect(try await fixture.document.refreshed { $0.contains("a") } == ["a"])
        #expect(fixture.peer.requests.count == 2)
    }

    @Test(
        "After a network error or a 5xx status the interval between fetches doubles, up to 30 seconds",
        arguments: [
            .failure(.unreachable(host: "peer.example")), .success(OutboundResponse(status: 500)),
            .success(OutboundResponse(status: 503)),
        ] as [Result<OutboundResponse, TransportError>])
    func backoff(answer: Result<OutboundResponse, TransportError>) async throws {
        #expect(await seconds(at: answer) == [0, 1, 3, 7, 15, 31, 61, 91])
    }

    @Test("After any other status than 200 the next fetch is 30 seconds later", arguments: [204, 302, 404, 429, 499])
    func refusal(status: Int) async throws {
        #expect(await seconds(at: .success(OutboundResponse(status: status))) == [0, 30, 60, 90])
    }

    /// The seconds at which a peer that always responds the same is requested, if a caller needs it each second.
    private func seconds(at answer: Result<OutboundResponse, TransportError>) async -> [Int64] {
        let fixture = Fixture()
        var asked: [Int64] = []
        for second in 0...100 as ClosedRange<Int64> {
            fixture.time.advance(to: second)
            let before = fixture.peer.requests.count
            fixture.peer.prepare(answer)
            await #expect(throws: DocumentError.self) { try await fixture.document.value() }
            if fixture.peer.requests.count > before { asked.append(second) }
        }
        return asked
    }

    @Test("After a success the intervals start again at one second")
    func backoffEnds() async throws {
        let fixture = Fixture { $0.staleLimit = .zero }
        let down = TransportError.unreachable(host: "peer.example")
        for second in [0, 1, 3] as [Int64] {
            fixture.time.advance(to: second)
            fixture.peer.prepare(.failure(down))
            await #expect(throws: DocumentError.unreachable(down)) { try await fixture.document.value() }
        }
        fixture.time.advance(to: 7)
        fixture.peer.prepare("[a]")
        #expect(try await fixture.document.value() == ["a"])
        for second in [3607, 3608] as [Int64] {
            fixture.time.advance(to: second)
            fixture.peer.prepare(.failure(down))
            await #expect(throws: DocumentError.unreachable(down)) { try await fixture.document.value() }
        }
        #expect(fixture.peer.requests.count == 6)
    }
}
