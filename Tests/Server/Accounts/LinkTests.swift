import Jansson
import SQLiteStores
import Sandbox
import Standards
import Stores
import Testing
import Transport

@Suite("Linking", .serialized, .timeLimit(.minutes(5)))
struct LinkTests {
    @Test("A second identity joins the account, and signs in to it from then on")
    func success() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let response = try await alice.link(try await server.xCodeBody())
            #expect(response.status == 200, "\(response.text)")
            expectSafeHeader(response)
            #expect(
                response.json?.object?.keys.sorted() == [
                    "account", "audience_proof", "custom_token", "expires_in", "is_new_user", "profile", "provider",
                    "provider_uid", "uid",
                ])
            #expect(response.json?["is_new_user"] == false)
            #expect(Payload.of(response.json?["custom_token"]?.string)?["uid"]?.string == alice.uid)
            #expect(response.json?["provider"] == "twitter.com")
            #expect(response.json?["provider_uid"] == "2244994945")
            #expect(response.json?["audience_proof"] == "authorization_code")
            #expect(response.json?["profile"]?["name"] == "Alice Example")
            #expect(response.json?["account"] == (try await alice.account()))
            #expect(try await alice.providers() == ["twitter.com", "yahoo.com"])
            let later = try await server.exchange(try await server.xCodeBody())
            #expect(later.json?["uid"]?.string == TestServer.alice)
            #expect(later.json?["is_new_user"] == false)
        }
    }

    @Test("The response contains the provider's tokens if the client may receive them")
    func providerTokens() async throws {
        try await TestServer.open(.with { $0.returnsProviderTokens = true }) { server in
            let response = try await server.atYahoo().link(try await server.xCodeBody())
            #expect(response.json?["oauth"]?["access_token"]?.string?.isEmpty == false)
        }
    }

    @Test("The response contains the provider's own answer if the client may receive it")
    func providerProfile() async throws {
        try await TestServer.open(.with { $0.returnsProviderProfile = true }) { server in
            let response = try await server.atYahoo().link(try await server.xCodeBody())
            #expect(response.json?["provider_profile"]?["userinfo"]?["id"] == "2244994945")
        }
    }

    @Test("LK-06, LK-15: an identity of another account stays linked to it")
    func taken() async throws {
        try await TestServer.open { server in
            let bjorn = try await server.atX()
            for person in [try await server.atYahoo(), try await server.anonymous()] {
                let response = try await person.link(try await server.xCodeBody(user: "bjorn"))
                try expectRefusal(
                    response, "credential_already_in_use", further: ["existing_uid", "pending_credential"])
                #expect(response.json?["existing_uid"]?.string == bjorn.uid)
                #expect(try await person.providers().contains("twitter.com") == false)
            }
            #expect(try await bjorn.providers() == ["twitter.com"])
            let later = try await server.exchange(try await server.xCodeBody(user: "bjorn"))
            #expect(later.json?["uid"]?.string == bjorn.uid)
        }
    }

    @Test("LK-06: a second identity of a provider is refused, and the first one again is no change")
    func sameProvider() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            try expectRefusal(
                try await alice.link(try await server.codeBody(user: "bjorn")), "provider_already_linked")
            let again = try await alice.link(try await server.codeBody())
            #expect(again.status == 200, "\(again.text)")
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("LK-07: of two accounts that link one identity at once, one has it")
    func race() async throws {
        try await TestServer.open { server in
            let people = [try await server.atYahoo("alice"), try await server.atYahoo("bjorn")]
            var bodies: [JSON] = []
            for _ in 0..<8 { bodies.append(try await server.xCodeBody(user: "carol")) }
            let reasons = try await withThrowingTaskGroup(of: String.self) { [bodies] group in
                for (number, body) in bodies.enumerated() {
                    group.addTask { try await people[number % 2].link(body).reason ?? "linked" }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            // The same credential may be linked again.
            #expect(reasons == ["linked": 4, "credential_already_in_use": 4])
            let holders = [try await people[0].providers(), try await people[1].providers()]
            #expect(holders.filter { $0.contains("twitter.com") }.count == 1)
        }
    }

    @Test("LK-07: a credential links once, however often it is posted at once")
    func sameCredential() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let body = try await server.xCodeBody()
            let reasons = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<10 { group.addTask { try await alice.link(body).reason ?? "linked" } }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(reasons == ["linked": 1, "replayed": 9])
        }
    }
}

@Suite("Whom linking obeys", .serialized, .timeLimit(.minutes(5)))
struct LinkRuleTests {
    @Test("LK-05: a user who signed in more than five minutes ago links nothing")
    func recentLogin() async throws {
        try await TestServer.open { server in
            _ = try await server.atYahoo()
            let stale = try await server.person(TestServer.alice, ["authenticated_seconds_ago": 301])
            let body = try await server.xCodeBody()
            let response = try await stale.link(body)
            try expectRefusal(response, "requires_recent_login")
            try expectRefusal(try await LinkFlowTests.push(stale), "requires_recent_login")
            try expectRefusal(try await stale.unlink("yahoo.com"), "requires_recent_login")
            try expectRefusal(try await stale.ask("DELETE", "/v1/account"), "requires_recent_login")
            try expectRefusal(try await stale.merge("from_id_token", stale.idToken), "requires_recent_login")
            #expect(try await stale.providers() == ["yahoo.com"])
            // Nothing was spent, and three hundred seconds are recent.
            let recent = try await server.person(TestServer.alice, ["authenticated_seconds_ago": 300])
            #expect(try await recent.link(body).status == 200)
        }
    }

    @Test("LK-05: to reauthenticate needs no recent sign-in, and makes one")
    func stale() async throws {
        try await TestServer.open { server in
            _ = try await server.atYahoo()
            let stale = try await server.person(TestServer.alice, ["authenticated_seconds_ago": 86_400])
            #expect(try await stale.reauthenticate(try await server.freshCodeBody()).status == 200)
        }
    }

    @Test("LK-08: a credential is held to all rules of a sign-in")
    func credentials() async throws {
        try await TestServer.open { server in
            let bjorn = try await server.atX()
            let used = try await server.idTokenBody()
            #expect(try await server.exchange(used).status == 200)
            try expectRefusal(try await bjorn.link(used), "replayed")
            for (body, reason) in [
                (try await server.idTokenBody(application: "hostile"), "audience_mismatch"),
                (try await server.tokenPairBody(application: "hostile"), "token_rejected"),
                (try await server.accessTokenBody(provider: "yahoo.com"), "audience_unverifiable"),
                (try await server.idTokenBody(claims: ["key": "foreign"]), "signature_invalid"),
                (try await server.idTokenBody(claims: ["iss": "https://evil.example"]), "issuer_mismatch"),
                (
                    try await server.idTokenBody().setting(
                        "credential", "nonce", to: .string(try await server.nonce().verifier)), "nonce_mismatch"
                ),
                (Bodies.inventedCode, "code_rejected"),
                (Bodies.inventedIDToken.setting("client_id", to: "nobody"), "unknown_client"),
                (Bodies.inventedIDToken.setting("client_id", to: "x-only"), "provider_disabled"),
            ] {
                try expectRefusal(try await bjorn.link(body), reason)
            }
            #expect(try await bjorn.providers() == ["twitter.com"])
        }
    }

    @Test("LK-10: only the bearer token decides which account is changed")
    func identifier() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            for member in ["uid", "user_id", "sub", "account"] {
                let victim = JSON.string(bjorn.uid)
                for (path, body) in [
                    ("link", Bodies.inventedCode), ("reauthenticate", Bodies.inventedCode),
                    ("unlink", ["provider": "yahoo.com"]), ("merge", ["client_id": "my-app"]), ("signout", [:]),
                ] as [(String, JSON)] {
                    try expectRefusal(
                        try await alice.post("/v1/account/\(path)", body.setting(member, to: victim)), "unknown_field")
                }
                for method in ["GET", "DELETE"] {
                    try expectRefusal(try await alice.ask(method, "/v1/account?\(member)=a"), "unknown_field")
                    try expectRefusal(
                        try await alice.ask(method, "/v1/account?client_id=my-app&\(member)=a"), "unknown_field")
                }
            }
            try expectRefusal(try await alice.ask("GET", "/v1/account/\(bjorn.uid)"), "not_found")
        }
    }
}

@Suite("Beginning a link", .serialized, .timeLimit(.minutes(5)))
struct LinkStartTests {
    @Test("ST-13: a flow to link is begun by POST and with a bearer, and by no link or form of a page")
    func start() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            for path in ["/par", "/v1/signin"] {
                try expectRefusal(try await alice.ask("GET", path + "?intent=link"), "method_not_allowed")
            }
            let cookie = [HeaderField("Cookie", "__session=\(alice.idToken)")]
            try expectRefusal(
                try await server.form("/par", BrowserRequest.parameters.changing(["intent": "link"]), header: cookie),
                "id_token_missing")
            try expectRefusal(
                try await server.post("/v1/signin", Bodies.signIn.setting("intent", to: "link"), header: cookie),
                "id_token_missing")
            var browser = TestBrowser(server, header: [HeaderField("Authorization", "Bearer " + alice.idToken)])
            let response = try await browser.get(BrowserRequest.path(["intent": "link"]))
            #expect(response.location?.hasPrefix(server.standIns.addresses.yahoo) != true, "It leads to no provider.")
        }
    }

    @Test("The application's own login does not become a link, whatever accompanies a request_uri")
    func beside() async throws {
        try await TestServer.open { server in
            let uri = try await server.form("/par", BrowserRequest.parameters).json?["request_uri"]?.string ?? ""
            var browser = TestBrowser(server)
            let left = try await browser.get(
                "/authorize?" + Form.encoded(["client_id": "my-app", "request_uri": uri, "intent": "link"]))
            let finished = try await browser.get(try await browser.consent(at: left.location ?? ""))
            expectToken(try await server.redeem(finished.told["code"] ?? ""))
        }
    }

    @Test("A bearer token of a user does not authenticate a client")
    func clientSecret() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            for member in ["client_secret", "client_assertion"] {
                try expectRefusal(
                    try await LinkFlowTests.push(alice, ["intent": "link", member: "s"]), "unknown_client")
            }
        }
    }

    @Test("The user of a deleted or disabled account begins no flow with an intent")
    func callers() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            #expect(try await alice.ask("DELETE", "/v1/account")?.status == 200)
            try expectRefusal(try await LinkFlowTests.push(alice), "account_gone")
            try expectRefusal(
                try await alice.post("/v1/signin", Bodies.signIn.setting("intent", to: "link")), "account_gone")
            let bjorn = try await server.atX()
            #expect(try await server.store.setDisabled(true, uid: "\(bjorn.uid)"))
            try expectRefusal(try await LinkFlowTests.push(bjorn), "user_disabled")
        }
    }
}
