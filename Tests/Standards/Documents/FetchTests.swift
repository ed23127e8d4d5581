import JOSE
import Standards
import Testing
import Transport

@Suite("Fetching a document", .timeLimit(.minutes(5)))
struct FetchTests {
    @Test("A document is not fetched before its first use")
    func lazy() {
        let fixture = Fixture()
        #expect(fixture.peer.requests.isEmpty)
    }

    @Test("JW-10: A fetch is one GET that accepts JSON, limited to 5 seconds and 256 KiB")
    func request() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a b]")
        #expect(try await fixture.document.value() == ["a", "b"])
        #expect(
            fixture.peer.requests == [
                OutboundRequest(
                    .get, "https://peer.example/words", header: [HeaderField("Accept", "application/json")],
                    timeout: .seconds(5), maximumBodyBytes: 256 * 1024)
            ])
        #expect(await fixture.document.lastFailure == nil)
    }

    @Test("The location of a document is evaluated at each fetch, and may be unknown")
    func location() async throws {
        let peer = Peer()
        let time = ManualTime()
        let metadata = CachedDocument(
            at: "https://peer.example/metadata", transport: peer.transport, time: time.source, parse: Fixture.words)
        let keys = CachedDocument(
            at: { () async throws(DocumentError) in try await metadata.value()[0] }, transport: peer.transport,
            time: time.source, parse: Fixture.words)
        peer.prepare("", status: 500)
        await #expect(throws: DocumentError.status(500)) { try await keys.value() }
        time.advance(by: .seconds(30))
        peer.prepare("[https://peer.example/keys]")
        peer.prepare("[k]")
        #expect(try await keys.value() == ["k"])
        #expect(
            peer.requests.map(\.url) == [
                "https://peer.example/metadata", "https://peer.example/metadata", "https://peer.example/keys",
            ])
    }

    /// A response that is not a document, and its error.
    struct Refusal: CustomTestStringConvertible {
        let answer: Result<OutboundResponse, TransportError>
        let error: DocumentError

        init(_ body: String, status: Int = 200, header: [HeaderField] = [], _ error: DocumentError) {
            answer = .success(OutboundResponse(status: status, header: header, body: Array(body.utf8)))
            self.error = error
        }

        init(_ failure: TransportError) {
            answer = .failure(failure)
            error = .unreachable(failure)
        }

        var testDescription: String { "\(answer)" }

        static let all = [
            Refusal("<html>", .malformed), Refusal("", .malformed), Refusal("null", .malformed),
            Refusal("[a", .malformed), Refusal("[b]", status: 500, .status(500)),
            Refusal("[b]", status: 404, .status(404)),
            Refusal("[b]", status: 201, .status(201)), Refusal("[b]", status: 206, .status(206)),
            Refusal("[b]", status: 302, header: [HeaderField("Location", "https://evil.example/")], .status(302)),
            Refusal(.unreachable(host: "peer.example")), Refusal(.untrusted(host: "peer.example")),
            Refusal(.timedOut(host: "peer.example", requestSent: true)), Refusal(.interrupted(host: "peer.example")),
            Refusal(.tooLarge(host: "peer.example")), Refusal(.notHTTP(host: "peer.example")),
        ]
    }

    @Test(
        "JW-05, JW-08, JW-14: A response that is not a document is an error, and a redirect is not followed",
        arguments: Refusal.all)
    func refusal(_ refusal: Refusal) async throws {
        let fixture = Fixture()
        fixture.peer.prepare(refusal.answer)
        await #expect(throws: refusal.error) { try await fixture.document.value() }
        #expect(fixture.peer.requests.count == 1)
        #expect(fixture.failures.all == [refusal.error])
        #expect(await fixture.document.usableUntil == nil)
    }

    @Test(
        "JW-05, JW-11, JW-14: A response that is not a document does not replace a valid document",
        arguments: Refusal.all)
    func keptGood(_ refusal: Refusal) async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[good]")
        _ = try await fixture.document.value()
        fixture.time.advance(to: 2880)
        fixture.peer.prepare(refusal.answer)
        #expect(try await fixture.document.value() == ["good"])
        await fixture.failures.reach(1)
        #expect(try await fixture.document.value() == ["good"])
        #expect(fixture.failures.all == [refusal.error])
        #expect(await fixture.document.lastFailure == refusal.error)
    }
}
