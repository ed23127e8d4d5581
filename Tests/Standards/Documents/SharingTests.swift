import JOSE
import Standards
import Testing
import Transport

@Suite("Sharing a fetch", .timeLimit(.minutes(5)))
struct SharingTests {
    @Test("100 concurrent callers share one fetch")
    func singleFlight() async throws {
        let fixture = Fixture()
        try await withThrowingTaskGroup { group in
            for _ in 1...100 { group.addTask { try await fixture.document.value() } }
            await fixture.peer.isAsked(times: 1)
            fixture.peer.answer(1, "[a]")
            for try await value in group { #expect(value == ["a"]) }
        }
        #expect(fixture.peer.requests.count == 1)
    }

    @Test("Cancelling one caller does not end the fetch of the others")
    func cancellation() async throws {
        let fixture = Fixture()
        let first = Task { try await fixture.document.value() }
        await fixture.peer.isAsked(times: 1)
        let second = Task { try await fixture.document.value() }
        first.cancel()
        fixture.peer.answer(1, "[a]")
        #expect(try await first.value == ["a"])
        #expect(try await second.value == ["a"])
        #expect(fixture.peer.requests.count == 1)
    }

    @Test("A late response never replaces a newer one")
    func lateAnswer() async throws {
        let fixture = Fixture()
        let late = Task { try await fixture.document.value() }
        await fixture.peer.isAsked(times: 1)
        // After twice its timeout no caller waits for a fetch any more.
        fixture.time.advance(by: .seconds(10))
        let timely = Task { try await fixture.document.value() }
        await fixture.peer.isAsked(times: 2)
        fixture.peer.answer(2, "[new]")
        #expect(try await timely.value == ["new"])
        fixture.peer.answer(1, "[old]")
        #expect(try await late.value == ["old"])
        #expect(try await fixture.document.value() == ["new"])
        #expect(fixture.peer.requests.count == 2)
    }

    @Test("A caller waits for a fetch within twice its timeout")
    func patience() async throws {
        let fixture = Fixture()
        let first = Task { try await fixture.document.value() }
        await fixture.peer.isAsked(times: 1)
        fixture.time.advance(by: .seconds(9))
        async let second = fixture.document.value()
        fixture.peer.answer(1, "[a]")
        #expect(try await first.value == ["a"])
        #expect(try await second == ["a"])
        #expect(fixture.peer.requests.count == 1)
    }

    @Test("A document that is released cancels its fetch")
    func release() async throws {
        let peer = Peer()
        let time = ManualTime()
        do {
            let document = CachedDocument(
                at: "https://peer.example/words", transport: peer.transport, time: time.source, parse: Fixture.words)
            peer.prepare("[a]")
            _ = try await document.value()
            time.advance(to: 2880)
            _ = try await document.value()
            await peer.isAsked(times: 2)
        }
        await peer.seesCancellations(1)
    }
}
