import JOSE
import OAuth
import Providers
import Testing

@testable import Server

@Suite("Refused parts of profiles")
struct ProfileRefusalTests {
    private static let start = NumericDate(1_700_000_000)
    private static let x = ProviderID("twitter.com")

    @Test("Each refusal is counted by provider and cause, and /metrics shows the count")
    func counts() {
        let refusals = ProfileRefusals()
        for _ in 0..<3 { _ = refusals.record(Self.x, .failed(status: 403), at: Self.start) }
        _ = refusals.record(Self.x, .refusedClient(.credit), at: Self.start)
        _ = refusals.record(Self.x, .malformedResponse("x"), at: Self.start)
        _ = refusals.record(ProviderID("yahoo.com"), .failed(status: 403), at: Self.start)
        let lines = Metrics(profileRefusals: refusals).text(Admission(maximum: 1, maximumBodies: 1))
            .split(separator: "\n").map(String.init)
        let name = "token_exchange_profile_refusals_total"
        #expect(
            lines.filter { $0.hasPrefix(name) }
                == [
                    #"\#(name){provider="twitter.com",cause="\#(ClientRefusal.credit.rawValue)"} 1"#,
                    #"\#(name){provider="twitter.com",cause="other"} 1"#,
                    #"\#(name){provider="twitter.com",cause="status_403"} 3"#,
                    #"\#(name){provider="yahoo.com",cause="status_403"} 1"#,
                ].sorted())
    }

    @Test("The log tells of each cause once a minute, and again if the clock was set back")
    func told() {
        let refusals = ProfileRefusals()
        func isTold(_ failure: ProviderFailure, after seconds: Int64) -> Bool {
            refusals.record(Self.x, failure, at: NumericDate(Self.start.seconds + seconds))
        }
        #expect(isTold(.failed(status: 403), after: 0))
        #expect(!isTold(.failed(status: 403), after: 59))
        #expect(isTold(.failed(status: 402), after: 59))
        #expect(isTold(.failed(status: 403), after: 60))
        #expect(!isTold(.failed(status: 403), after: 61))
        #expect(isTold(.failed(status: 403), after: -1))
    }
}
