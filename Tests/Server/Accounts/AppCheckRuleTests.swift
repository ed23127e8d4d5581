import Flows
import Jansson
import Testing
import Transport

@Suite("Rules of App Check", .serialized, .timeLimit(.minutes(5)))
struct AppCheckRuleTests {
    private static let required = Plan.with { $0.appCheck = .required(apps: []) }
    private static let ours = Plan.with { $0.appCheck = .required(apps: ["1:1:web:a"]) }

    @Test("Where applications are named, these alone may call")
    func applications() async throws {
        try await Street.open(Self.ours) { street in
            for (app, status) in [("1:1:web:a", 200), ("1:1:web:b", 403), ("1:1:web:A", 403), ("1:1:web", 403)] {
                let token = try await street.standIns.appCheckToken(app)
                let answer = try await street.post("/v1/nonce", Bodies.nonce, header: AppCheckTests.header(token))
                #expect(answer.status == status, "\(app)")
            }
        }
    }

    @Test("Where it is only logged, everybody is let in, and the trail says what was wrong")
    func logged() async throws {
        let trail = Trail()
        try await Street.open(
            .with {
                $0.appCheck = .log(apps: ["1:1:web:a"])
                $0.audit = trail.audit
            }
        ) { street in
            let good = try await street.standIns.appCheckToken()
            let other = try await street.standIns.appCheckToken("1:1:web:b")
            for header in [[], AppCheckTests.header("a.b.c"), AppCheckTests.header(other), AppCheckTests.header(good)] {
                let answer = try await street.post("/v1/anonymous", ["client_id": "my-app"], header: header)
                #expect(answer.status == 200)
            }
        }
        #expect(trail.lines.map { $0["app_check"]?.string } == ["missing", "invalid", "invalid", nil])
    }

    @Test("Where it is off, nobody looks at it, and Google's keys are not fetched")
    func off() async throws {
        try await Street.open { street in
            let answer = try await street.post("/v1/nonce", Bodies.nonce, header: AppCheckTests.header("a.b.c"))
            #expect(answer.status == 200)
            #expect(try await street.standIns.calls(of: "google.app_check_keys") == 0)
        }
    }

    @Test("Without Google's keys nobody passes")
    func keysAreDown() async throws {
        try await Street.open(Self.required) { street in
            let token = try await street.standIns.appCheckToken()
            try await street.standIns.fault("google.app_check_keys", ["status": 500, "body": "down"], times: 100)
            let answer = try await street.post("/v1/nonce", Bodies.nonce, header: AppCheckTests.header(token))
            #expect(answer.status >= 400, "\(answer.text)")
            #expect(answer.json?["nonce"] == nil)
        }
    }
}
