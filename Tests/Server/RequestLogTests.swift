import Providers
import Testing

@Suite("The log line of a request", .serialized, .timeLimit(.minutes(5)))
struct RequestLogTests {
    @Test("If the provider refuses our registration, the line names the cause and says what the operator can do")
    func advice() async throws {
        try await Street.open { street in
            let body = try await street.codeBody()
            try await street.standIns.fault(
                "yahoo.token", ["status": 401, "body": #"{"error":"INVALID_CLIENT_SECRET"}"#])
            let answer = try await street.exchange(body)
            try expectRefusal(answer, "provider_refuses_us")
            let line = try #require(street.log.lines.first { $0.contains("provider_refuses_us") })
            let refusal = try #require(ClientRefusal.allCases.first { line.contains($0.advice) })
            #expect(line.hasPrefix("error request"))
            #expect(line.contains(#""cause": \#(refusal.rawValue)"#))
            #expect(!answer.text.contains(refusal.advice))
        }
    }

    @Test("Any other failure of the provider has no advice")
    func others() async throws {
        try await Street.open { street in
            let body = try await street.codeBody()
            try await street.standIns.fault("yahoo.token", ["status": 500])
            let answer = try await street.exchange(body)
            try expectRefusal(answer, "provider_error", retry: "restart")
            #expect(!street.log.text.contains("advice"))
        }
    }
}
