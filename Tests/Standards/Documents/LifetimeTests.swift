import JOSE
import Standards
import Testing
import Transport

@Suite("The lifetime of a document", .timeLimit(.minutes(5)))
struct LifetimeTests {
    private static let noon = NumericDate(1_700_000_000)
    private static let staleLimit: Duration = .seconds(24 * 60 * 60)

    /// Header fields of a response, and the number of seconds for which they make the document fresh.
    struct Statement: CustomTestStringConvertible {
        let fields: [HeaderField]
        let seconds: Int64

        init(_ fields: [(String, String)], _ seconds: Int64) {
            self.fields = fields.map { HeaderField($0.0, $0.1) }
            self.seconds = seconds
        }

        var testDescription: String { fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ") }
    }

    @Test(
        "JW-12: Cache-Control sets the lifetime, limited to between 5 minutes and a day",
        arguments: [
            Statement([("Cache-Control", "max-age=3000")], 3000),
            Statement([("cache-control", "public, MAX-AGE=3000, must-revalidate")], 3000),
            Statement([("Cache-Control", "public"), ("Cache-Control", "max-age=\"3000\"")], 3000),
            Statement([("Cache-Control", "max-age=3000"), ("Age", "1000")], 2000),
            Statement([("Cache-Control", "max-age=3000"), ("Age", "soon")], 3000),
            Statement([("Cache-Control", "max-age=300")], 300),
            Statement([("Cache-Control", "max-age=299")], 300),
            Statement([("Cache-Control", "max-age=0")], 300),
            Statement([("Cache-Control", "max-age=3000"), ("Age", "3000")], 300),
            Statement([("Cache-Control", "max-age=3000"), ("Age", "99999999999999999999999")], 300),
            Statement([("Cache-Control", "max-age=-1")], 300),
            Statement([("Cache-Control", "max-age=never")], 300),
            Statement([("Cache-Control", "max-age=")], 300),
            Statement([("Cache-Control", "no-store")], 300),
            Statement([("Cache-Control", "max-age=3000, no-cache")], 300),
            Statement([("Cache-Control", "max-age=86400")], 86400),
            Statement([("Cache-Control", "max-age=86401")], 86400),
            Statement([("Cache-Control", "max-age=99999999")], 86400),
            Statement([("Cache-Control", "max-age=99999999999999999999999")], 86400),
            Statement([], 3600),
            Statement([("Cache-Control", "s-maxage=1, public")], 3600),
            Statement([("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")], 3600),
        ])
    func cacheControl(_ statement: Statement) async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a]", header: statement.fields)
        _ = try await fixture.document.value()
        #expect(await fixture.document.usableUntil == Self.noon + .seconds(statement.seconds) + Self.staleLimit)
    }

    @Test("A fresh document is returned from the cache")
    func fresh() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a]")
        for second in [0, 1, 2879] as [Int64] {
            fixture.time.advance(to: second)
            #expect(try await fixture.document.value() == ["a"])
        }
        #expect(fixture.peer.requests.count == 1)
    }

    @Test("In the last fifth of its lifetime a document is fetched again, and no caller waits for it")
    func refreshAhead() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a]")
        _ = try await fixture.document.value()
        fixture.time.advance(to: 2880)
        for _ in 1...3 { #expect(try await fixture.document.value() == ["a"]) }
        await fixture.peer.isAsked(times: 2)
        fixture.peer.answer(2, "[b]")
        #expect(try await fixture.document.refreshed { $0 == ["b"] } == ["b"])
        #expect(try await fixture.document.value() == ["b"])
        // The lifetime starts when the request is sent.
        #expect(await fixture.document.usableUntil == Self.noon + .seconds(2880 + 3600) + Self.staleLimit)
        #expect(fixture.peer.requests.count == 2)
    }

    @Test("JW-04: An expired document is not returned before the peer was requested")
    func over() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[old]")
        _ = try await fixture.document.value()
        fixture.time.advance(to: 3600)
        fixture.peer.prepare("[new]")
        #expect(try await fixture.document.value() == ["new"])
        #expect(fixture.peer.requests.count == 2)
    }

    @Test("While the peer is unreachable, an expired document is returned for one more day")
    func stale() async throws {
        let fixture = Fixture()
        let down = TransportError.unreachable(host: "peer.example")
        fixture.peer.prepare("[a]")
        _ = try await fixture.document.value()
        for (failures, second) in zip(1..., [3600, 3700, 3600 + 86399] as [Int64]) {
            fixture.time.advance(to: second)
            fixture.peer.prepare(.failure(down))
            #expect(try await fixture.document.value() == ["a"])
            await fixture.failures.reach(failures)
        }
        fixture.time.advance(to: 3600 + 86400 + 60)
        fixture.peer.prepare(.failure(down))
        await #expect(throws: DocumentError.unreachable(down)) { try await fixture.document.value() }
        #expect(fixture.failures.all == Array(repeating: .unreachable(down), count: 4))
        #expect(await fixture.document.lastFailure == .unreachable(down))
    }

    @Test("While the peer is known to fail, no caller waits for it, and its next valid response is used")
    func recovery() async throws {
        let fixture = Fixture()
        fixture.peer.prepare("[a]")
        _ = try await fixture.document.value()
        fixture.time.advance(to: 3600)
        fixture.peer.prepare("", status: 503)
        #expect(try await fixture.document.value() == ["a"])
        fixture.time.advance(to: 3630)
        // This fetch stays without a response for now.
        #expect(try await fixture.document.value() == ["a"])
        await fixture.peer.isAsked(times: 3)
        fixture.peer.answer(3, "[b]")
        #expect(try await fixture.document.refreshed { $0 == ["b"] } == ["b"])
        #expect(await fixture.document.lastFailure == nil)
        #expect(fixture.peer.requests.count == 3)
    }
}
