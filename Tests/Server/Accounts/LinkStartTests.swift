import Jansson
import OAuth
import SQLiteStores
import Sandbox
import Testing
import Transport

@Suite("Beginning a link", .serialized, .timeLimit(.minutes(5)))
struct LinkStartTests {
    @Test("ST-13: a flow to link is begun by POST and with a bearer, and by no link or form of a page")
    func start() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            for path in ["/par", "/v1/signin"] {
                try expectRefusal(try await alice.ask("GET", path + "?intent=link"), "method_not_allowed")
            }
            let cookie = [HeaderField("Cookie", "__session=\(alice.idToken)")]
            try expectRefusal(
                try await street.form("/par", Asking.parameters.changing(["intent": "link"]), header: cookie),
                "id_token_missing")
            try expectRefusal(
                try await street.post("/v1/signin", Bodies.signIn.setting("intent", to: "link"), header: cookie),
                "id_token_missing")
            var visitor = Visitor(street, header: [HeaderField("Authorization", "Bearer " + alice.idToken)])
            let answer = try await visitor.get(Asking.path(["intent": "link"]))
            #expect(answer.location?.hasPrefix(street.standIns.addresses.yahoo) != true, "It leads to no provider.")
        }
    }

    @Test("The app's own login does not become a link, whatever stands beside a request_uri")
    func beside() async throws {
        try await Street.open { street in
            let uri = try await street.form("/par", Asking.parameters).json?["request_uri"]?.string ?? ""
            var visitor = Visitor(street)
            let left = try await visitor.get(
                "/authorize?" + Form.encoded(["client_id": "my-app", "request_uri": uri, "intent": "link"]))
            let finished = try await visitor.get(try await visitor.consent(at: left.location ?? ""))
            expectToken(try await street.redeem(finished.told["code"] ?? ""))
        }
    }

    @Test("Nobody authenticates a client beside a bearer")
    func clientSecret() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            for member in ["client_secret", "client_assertion"] {
                try expectRefusal(
                    try await LinkFlowTests.push(alice, ["intent": "link", member: "s"]), "unknown_client")
            }
        }
    }

    @Test("A retired, disabled or old sign-in begins what it may end")
    func callers() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            #expect(try await alice.ask("DELETE", "/v1/account")?.status == 200)
            try expectRefusal(try await LinkFlowTests.push(alice), "account_gone")
            try expectRefusal(
                try await alice.post("/v1/signin", Bodies.signIn.setting("intent", to: "link")), "account_gone")
            let bjorn = try await street.atX()
            #expect(try await street.store.setDisabled(true, uid: bjorn.uid))
            try expectRefusal(try await LinkFlowTests.push(bjorn), "user_disabled")
        }
    }
}
