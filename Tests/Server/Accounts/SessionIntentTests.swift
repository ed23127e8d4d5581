import Jansson
import Support
import Testing
import Transport

/// `POST /v1/signin` with an intent.
@Suite("Sessions with an intent", .serialized, .timeLimit(.minutes(5)))
struct SessionIntentTests {
    /// Begins at `POST /v1/signin` and returns from the provider.
    ///
    /// - Returns: The body that finishes the flow.
    private static func body(
        _ person: Person, _ intent: String?, user: String = "alice"
    ) async throws -> JSON {
        let request = Bodies.signIn.setting("intent", to: intent.map(JSON.string))
        let begun = try await person.post("/v1/signin", request).json
        let callback = try await TestBrowser(person.server).consent(
            at: begun?["authorization_url"]?.string ?? "", as: user)
        return Bodies.exchange(
            "yahoo.com",
            [
                "type": "callback", "session": .string(begun?["session"]?.string ?? ""),
                "callback_url": .string(callback),
            ])
    }

    @Test("LK-09: a session that was begun to link is accepted only at link, for its account")
    func link() async throws {
        try await TestServer.open { server in
            let (bjorn, carol) = (try await server.atX("bjorn"), try await server.atX("carol"))
            let body = try await Self.body(bjorn, "link")
            try expectRefusal(try await server.exchange(body), "intent_mismatch")
            try expectRefusal(try await bjorn.reauthenticate(body), "intent_mismatch")
            try expectRefusal(try await carol.link(body), "user_mismatch")
            #expect(try await bjorn.link(body).status == 200)
            #expect(try await bjorn.providers() == ["twitter.com", "yahoo.com"])
            #expect(try await carol.providers() == ["twitter.com"])
            try expectRefusal(try await bjorn.link(body), "replayed")
        }
    }

    @Test("A session that was begun to sign in neither links nor reauthenticates")
    func signIn() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let body = try await Self.body(alice, nil)
            try expectRefusal(try await alice.link(body), "intent_mismatch")
            try expectRefusal(try await alice.reauthenticate(body), "intent_mismatch")
            #expect(try await server.exchange(body).status == 200)
        }
    }

    @Test("To reauthenticate, the provider requests a new login, and the token contains its time")
    func reauthenticate() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let begun = try await alice.post("/v1/signin", Bodies.signIn.setting("intent", to: "reauthenticate")).json
            let url = try await TestBrowser(server).beyondPage(begun?["authorization_url"]?.string ?? "")
            #expect(url.contains("prompt=login") && url.contains("max_age=0"), "\(url)")
            let body = try await Self.body(alice, "reauthenticate")
            let response = try await alice.reauthenticate(body)
            #expect(response.status == 200, "\(response.text)")
            let claims = Payload.of(response.json?["custom_token"]?.string)
            #expect(claims?["claims"]?["reauth_time"] == 1_700_000_000)
            #expect(claims?["uid"]?.string == TestServer.alice)
            #expect(
                Payload.of((try await server.exchange(try await server.codeBody())).json?["custom_token"]?.string)?[
                    "claims"]?["reauth_time"] == nil)
        }
    }

    @Test(
        "X reauthenticates by OAuth 1.0a, whatever its default flow is, and the token contains the method and no time")
    func x() async throws {
        try await TestServer.open { server in
            let bjorn = try await server.atX()
            let request = Bodies.signIn.setting("provider", to: "twitter.com").setting("intent", to: "reauthenticate")
                .setting("redirect_uri", to: "com.example.app:/x")
            let begun = try await bjorn.post("/v1/signin", request).json
            let url = try await TestBrowser(server).beyondPage(begun?["authorization_url"]?.string ?? "")
            #expect(url.contains("/oauth/authenticate?") && url.contains("force_login=true"), "\(url)")
            let callback = try await TestBrowser(server).consent(at: url, as: "bjorn")
            let response = try await bjorn.reauthenticate(
                Bodies.exchange(
                    "twitter.com",
                    [
                        "type": "callback", "session": .string(begun?["session"]?.string ?? ""),
                        "callback_url": .string(callback),
                    ]))
            #expect(response.status == 200, "\(response.text)")
            let claims = Payload.of(response.json?["custom_token"]?.string)?["claims"]
            #expect(claims?["reauth_method"] == "prompt")
            #expect(claims?["reauth_time"] == nil)
            try expectRefusal(
                try await bjorn.post("/v1/signin", request.setting("flow", to: "oauth2")), "fresh_login_unavailable")
        }
    }

    @Test("Another person's proof, or one of another account, is user_mismatch")
    func mismatch() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            let body = try await Self.body(alice, "reauthenticate", user: "mallory")
            try expectRefusal(try await alice.reauthenticate(body), "user_mismatch")
            try expectRefusal(
                try await alice.reauthenticate(try await server.freshCodeBody(user: "mallory")), "user_mismatch")
            try expectRefusal(
                try await alice.reauthenticate(try await server.xCodeBody(user: "bjorn")), "fresh_login_unavailable")
            try expectRefusal(
                try await bjorn.reauthenticate(try await Self.body(alice, "reauthenticate")), "user_mismatch")
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("An intent needs a bearer, and is one of two")
    func bearer() async throws {
        try await TestServer.open { server in
            for intent in ["link", "reauthenticate"] {
                let body = Bodies.signIn.setting("intent", to: .string(intent))
                try expectRefusal(try await server.post("/v1/signin", body), "id_token_missing")
                try expectRefusal(
                    try await server.person("u1", ["key": "none"]).post("/v1/signin", body), "id_token_invalid")
            }
            for intent in ["delete", "LINK", ""] {
                try expectRefusal(
                    try await server.person("u1").post(
                        "/v1/signin", Bodies.signIn.setting("intent", to: .string(intent))),
                    "malformed_body")
            }
        }
    }
}
