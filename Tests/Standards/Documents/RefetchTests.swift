import Documents
import JOSE
import Testing
import Transport

@Suite("Fetching again for what is missing", .timeLimit(.minutes(5)))
struct RefetchTests {
    @Test("A document that has what is looked for is not fetched again")
    func satisfied() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a]")
        for _ in 1...3 {
            #expect(try await fixture.document.refreshed { $0.contains("a") } == ["a"])
        }
        #expect(fixture.peer.requests.count == 1)
    }

    @Test("JW-03: A key that appeared since is found by one fetch")
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

    @Test("JW-01: Five hundred unknown keys in ten seconds cost one fetch, and known keys go on")
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

    @Test("JW-01: Five hundred of them at once share that fetch")
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

    @Test("JW-02: The cool-down counts from the attempt, whatever it brought", arguments: ["[]", "[useless]"])
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

    @Test("JW-02: So it does when every attempt brings what is no document")
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

    @Test("JW-02: So it does when there never was a document")
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

    @Test("A document fetched for this very question is not fetched a second time")
    func firstFetch() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a]")
        #expect(try await fixture.document.refreshed { $0.contains("k") } == ["a"])
        #expect(fixture.peer.requests.count == 1)
    }

    @Test("What is missing while the peer is down is the peer's failure, not the asker's")
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
        "A peer that cannot be reached, or cannot answer, is asked again at doubling intervals, up to the cool-down",
        arguments: [
            .failure(.unreachable(host: "peer.example")), .success(OutboundResponse(status: 500)),
            .success(OutboundResponse(status: 503)),
        ] as [Result<OutboundResponse, TransportError>])
    func backoff(answer: Result<OutboundResponse, TransportError>) async throws {
        #expect(await seconds(at: answer) == [0, 1, 3, 7, 15, 31, 61, 91])
    }

    @Test("A peer that says no is asked again after the cool-down", arguments: [204, 302, 404, 429, 499])
    func refusal(status: Int) async throws {
        #expect(await seconds(at: .success(OutboundResponse(status: status))) == [0, 30, 60, 90])
    }

    /// When a peer that always answers so is asked, by a caller who asks each second.
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

    @Test("After a success the intervals begin anew")
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
