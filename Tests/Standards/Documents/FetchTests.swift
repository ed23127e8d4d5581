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
                    .get, "https://peer.example/words", header: [HeaderField("Accept", "application/json, */*;q=0.1")],
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

        private static func redirect(_ location: String, to origin: String?) -> Self {
            Refusal("[b]", status: 302, header: [HeaderField("Location", location)], .redirected(to: origin))
        }

        static let all = [
            Refusal("<html>", .malformed), Refusal("", .malformed), Refusal("null", .malformed),
            Refusal("[a", .malformed), Refusal("[b]", status: 500, .status(500)),
            Refusal("[b]", status: 404, .status(404)), Refusal("<html>", status: 403, .page(status: 403)),
            Refusal("error code: 1010", status: 403, .page(status: 403)), Refusal("<html>", status: 503, .status(503)),
            Refusal("[b]", status: 201, .status(201)), Refusal("[b]", status: 206, .status(206)),
            Refusal("[b]", status: 302, .redirected(to: nil)), Refusal("[b]", status: 304, .status(304)),
            redirect("https://evil.example/words", to: "https://evil.example"),
            redirect("https://peer.example.evil.example/words", to: "https://peer.example.evil.example"),
            redirect("http://peer.example/words", to: "http://peer.example"),
            redirect("https://peer.example:8443/words", to: "https://peer.example:8443"),
            redirect("https://peer.example@evil.example/words", to: nil), redirect("//evil.example/words", to: nil),
            redirect("words", to: nil), redirect("https://peer.example\\@evil.example/", to: nil),
            redirect("file:///etc/passwd", to: nil), redirect("", to: nil),
            Refusal(.unreachable(host: "peer.example")), Refusal(.untrusted(host: "peer.example")),
            Refusal(.timedOut(host: "peer.example", requestSent: true)), Refusal(.interrupted(host: "peer.example")),
            Refusal(.tooLarge(host: "peer.example")), Refusal(.notHTTP(host: "peer.example")),
        ]
    }

    @Test("The advice tells a wrong address, an outage and a firewall apart")
    func advice() {
        func advice(_ error: DocumentError) -> String { error.advice ?? "" }
        #expect(advice(.status(404)).contains("Compare issuer") && DocumentError.status(404).mayBeOfAddress)
        #expect(advice(.status(503)).contains("an error of its own") && !DocumentError.status(503).mayBeOfAddress)
        #expect(advice(.keysRefused(status: 503)).contains("an error of its own"))
        for error in [DocumentError.status(429), .keysRefused(status: 429), .page(status: 429)] {
            #expect(advice(error).contains("or too many requests") && !error.mayBeOfAddress)
        }
        #expect(advice(.status(401)).contains("let it read it"))
        #expect(advice(.keysRefused(status: 401)).contains("have to be public"))
        #expect(advice(.keysRefused(status: 404)).contains("Compare endpoints.jwks"))
        #expect(advice(.noKeySet(.objectWithoutKeys)).contains("has no key that signs for this client"))
        for form in [KeySetForm.certificates, .singleKeys, .objectOfKeys] {
            #expect(
                advice(.noKeySet(form)).contains("a set of JWKs")
                    && !advice(.noKeySet(form)).contains("no key that signs"))
        }
        #expect(DocumentError.noKeySet(.certificates).sentence.contains("in PEM in place of a key set (RFC 7517)"))
        #expect(DocumentError.noKeySet(.other("a page")).sentence.hasSuffix("that can be used: it is a page"))
        #expect(advice(.noKeySet(.other("a page"))).contains("Compare endpoints.jwks"))
        #expect(advice(.unlikeMetadata("it is a page of HTML or XML")) == advice(.page(status: 404)))
        #expect(advice(.page(status: 403)).contains("firewall") && !DocumentError.page(status: 403).mayBeOfAddress)
        #expect(advice(.page(status: 404)).hasPrefix("Compare the address of the document, which is issuer with"))
        #expect(advice(.page(status: 404)).hasSuffix("without OpenID Connect protocol: oauth2 in place of issuer."))
    }

    @Test(
        "JW-05, JW-08, JW-14: A response that is not a document is an error, and so is a redirect to another origin",
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
        "Real-world 18: at most three redirects within the origin are followed",
        arguments: [301, 302, 303, 307, 308])
    func redirects(_ status: Int) async throws {
        let fixture = Fixture()
        for location in ["/index.php/words", "https://PEER.example/b", "https://peer.example/c?d=e"] {
            fixture.peer.prepare("", status: status, header: [HeaderField("Location", location)])
        }
        fixture.peer.prepare("[a]")
        #expect(try await fixture.document.value() == ["a"])
        #expect(
            fixture.peer.requests.map(\.url) == [
                "https://peer.example/words", "https://peer.example/index.php/words", "https://PEER.example/b",
                "https://peer.example/c?d=e",
            ])
        let endless = Fixture()
        for _ in 0..<4 {
            endless.peer.prepare("", status: status, header: [HeaderField("Location", "/words")])
        }
        await #expect(throws: DocumentError.redirected(to: nil)) { try await endless.document.value() }
        #expect(endless.peer.requests.count == 4)
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
