import Jansson
import Testing
import Transport

@Suite("Trying again", .serialized, .timeLimit(.minutes(5)))
struct RetryTests {
    @Test("A code that the provider put off is as good as before")
    func code() async throws {
        try await Street.open { street in
            let body = try await street.codeBody()
            try await street.standIns.fault("yahoo.token", ["status": 503])
            try expectRefusal(try await street.exchange(body), "provider_error", retry: "same")
            #expect(try await street.exchange(body).status == 200)
        }
    }

    @Test("A callback that the provider did not take is as good as before")
    func callback() async throws {
        try await Street.open { street in
            let body = try await street.callbackBody()
            try await street.standIns.fault("yahoo.token", ["status": 429])
            try expectRefusal(try await street.exchange(body), "provider_error", retry: "same")
            #expect(try await street.exchange(body).status == 200)
        }
    }

    @Test("A request whose custom token could not be signed in time is refused before anything is spent for it")
    func overload() async throws {
        var plan = Plan()
        // With this patience the first signature is made, since nothing is known of its time, and none after it.
        plan.signingPatience = .seconds(-1)
        try await Street.open(plan) { street in
            #expect(try await street.exchange(street.codeBody()).status == 200)
            let body = try await street.codeBody()
            let asked = try await street.standIns.calls(of: "yahoo.token")
            try expectRefusal(try await street.exchange(body), "overloaded", retry: "same")
            #expect(try await street.standIns.calls(of: "yahoo.token") == asked)
        }
    }

    @Test("Where retry is restart, the credential is spent, whatever became of it")
    func restart() async throws {
        try await Street.open { street in
            let body = try await street.codeBody()
            try await street.standIns.fault("yahoo.token", ["drop": true])
            try expectRefusal(try await street.exchange(body), "provider_unreachable", retry: "restart")
            try expectRefusal(try await street.exchange(body), "replayed")
        }
    }

    @Test("A pair of tokens whose check was put off keeps its nonce")
    func tokenPair() async throws {
        try await Street.open { street in
            let body = try await street.tokenPairBody()
            try await street.standIns.fault("x.verify_credentials", ["status": 503])
            try expectRefusal(try await street.exchange(body), "provider_error", retry: "same")
            #expect(try await street.exchange(body).status == 200)
        }
    }

    @Test(
        "UP-12: the provider's Retry-After is passed on in seconds, a minute at most",
        arguments: zip(["7", "99999999", "garbage", "-1", nil], ["7", "60", "5", "5", "5"]))
    func retryAfter(theirs: String?, ours: String) async throws {
        try await Street.open { street in
            let header: JSON = theirs.map { ["Retry-After": .string($0)] } ?? [:]
            for status: Int64 in [429, 503] {
                let body = try await street.codeBody()
                try await street.standIns.fault("yahoo.token", ["status": .integer(status), "header": header])
                let answer = try await street.exchange(body)
                try expectRefusal(answer, "provider_error", retry: "same")
                #expect(answer[field: "Retry-After"] == ours)
            }
        }
    }
}
