import Flows
import Jansson
import SQLiteStores
import Stores
import Support
import Testing
import Transport

@Suite("Accounts over HTTP", .serialized, .timeLimit(.minutes(5)))
struct AccountTests {
    @Test("An account is shown with its identities, and times in seconds")
    func show() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            server.clock.advance(by: .seconds(60))
            #expect(try await alice.link(try await server.xCodeBody()).status == 200)
            let response = try await alice.ask("GET", "/v1/account")
            #expect(response?.status == 200)
            if let response { expectSafeHeader(response) }
            #expect(response?.json?.object?.keys.sorted() == ["anonymous", "created_at", "identities", "uid"])
            #expect(response?.json?["uid"]?.string == TestServer.alice)
            #expect(response?.json?["anonymous"] == false)
            #expect(response?.json?["created_at"] == 1_700_000_000)
            let identities = response?.json?["identities"]?.array ?? []
            #expect(identities.count == 2)
            #expect(identities[0]["provider_uid"] == "2244994945")
            #expect(identities[0]["linked_at"] == 1_700_000_060)
            #expect(identities[1]["provider_uid"] == "ALICEWJNWVNQD4GXZ5NGMZUST4")
            #expect(identities[1]["name"] == "Alice Example")
            #expect(identities[1]["email"] == "alice@example.com")
            #expect(identities[1]["linked_at"] == 1_700_000_000)
            #expect(identities.allSatisfy { $0["managed_by"] == "us" })
        }
    }

    @Test("The account lists every provider that Firebase knows of the user, and says who manages it")
    func managedByFirebase() async throws {
        try await TestServer.open(.google(.users)) { server in
            let alice = try await server.atYahoo()
            try await server.standIns.firebaseUser(
                alice.uid,
                ["link": ["providerId": "google.com", "rawId": "1", "email": "a@example.org", "displayName": "Al"]])
            let identities = try await alice.account()?["identities"]?.array ?? []
            #expect(identities.map { $0["managed_by"] } == ["us", "firebase"])
            #expect(
                identities.last == [
                    "provider": "google.com", "managed_by": "firebase", "provider_uid": "1", "email": "a@example.org",
                    "name": "Al",
                ])
        }
    }

    @Test("Without Identity Toolkit, the providers are those of the user's ID tokens, by their names")
    func managedByFirebaseUnasked() async throws {
        try await TestServer.open { server in
            let native = try await server.person("native", ["sign_in_provider": "password"])
            let identity: JSON = ["provider": "password", "managed_by": "firebase"]
            #expect(try await native.account()?["identities"] == [identity])
            let linked = try await native.link(try await server.codeBody())
            #expect(linked.json?["account"]?["identities"]?.array?.last == identity)
            let foreign = try await server.person("foreign", ["sign_in_provider": "custom"])
            #expect(try await foreign.account()?["identities"] == [])
        }
    }

    @Test("A user whom only Firebase knows is adopted")
    func adopted() async throws {
        try await TestServer.open { server in
            let native = try await server.person("native", ["sign_in_provider": "password"])
            #expect(try await native.account()?["anonymous"] == false)
            #expect(try await native.providers() == ["password"])
            // There is another way in, so that the last identity may go.
            #expect(try await native.link(try await server.codeBody()).status == 200)
            #expect(try await native.unlink("yahoo.com").status == 200)
            let guest = try await server.person("guest", ["sign_in_provider": "anonymous"])
            #expect(try await guest.account()?["anonymous"] == true)
            #expect(try await guest.link(try await server.codeBody()).status == 200)
            try expectRefusal(try await guest.unlink("yahoo.com"), "last_identity")
        }
    }

    @Test("A deleted account does not exist any longer, and its uid is never used again")
    func delete() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let response = try await alice.ask("DELETE", "/v1/account")
            #expect(response?.status == 200)
            #expect(response?.json == ["firebase_user": "kept"], "There is no Identity Toolkit to ask.")
            if let response { expectSafeHeader(response) }
            for path in ["/v1/account", "/v1/account?client_id=my-app"] {
                for method in ["GET", "DELETE"] {
                    try expectRefusal(try await alice.ask(method, path), "account_gone")
                }
            }
            let body = try await server.codeBody()
            try expectRefusal(try await alice.link(body), "account_gone")
            let again = try await server.exchange(body)
            #expect(again.json?["is_new_user"] == true, "Nothing was spent.")
            #expect(again.json?["uid"]?.string != alice.uid)
        }
    }

    @Test("Only the query of a call without a body names the client")
    func query() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            #expect(try await alice.ask("GET", "/v1/account?client_id=my-app")?.status == 200)
            #expect(try await alice.ask("GET", "/v1/account?")?.status == 200)
            for method in ["GET", "DELETE"] {
                for (query, reason) in [
                    ("client_id=nobody", "unknown_client"), ("client_id=", "unknown_client"),
                    ("client_id", "unknown_client"),
                    ("a=b", "unknown_field"), ("client_id=my-app&a=b", "unknown_field"),
                    ("client_id=my-app&client_id=my-app", "unknown_field"), ("client_id=my-app;a", "unknown_client"),
                ] {
                    let response = try await alice.ask(method, "/v1/account?\(query)")
                    try expectRefusal(response, reason)
                }
            }
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("Another method is answered 405 with those that are allowed")
    func methods() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            for method in ["POST", "PUT", "PATCH", "HEAD"] {
                let response = try await alice.ask(method, "/v1/account")
                #expect(response?.status == 405)
                #expect(response?[field: "Allow"] == "GET, DELETE")
            }
        }
    }

    @Test("If the store does not respond, every operation is refused and nothing is spent")
    func storeIsDown() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let body = try await server.xCodeBody()
            try server.store.close()
            for (path, body) in [
                ("link", body), ("reauthenticate", body), ("unlink", ["provider": "yahoo.com"]), ("signout", [:]),
                ("merge", ["client_id": "my-app", "from_id_token": .string(alice.idToken)]),
            ] as [(String, JSON)] {
                try expectRefusal(
                    try await alice.post("/v1/account/\(path)", body), "store_unavailable", retry: "same")
            }
            for method in ["GET", "DELETE"] {
                try expectRefusal(try await alice.ask(method, "/v1/account"), "store_unavailable", retry: "same")
            }
            try expectRefusal(
                try await server.post("/v1/anonymous", ["client_id": "my-app"]), "store_unavailable", retry: "same")
            #expect(try await server.standIns.calls(of: "x.oauth2_token") == 0)
        }
    }
}

@Suite("Secrets of account calls", .serialized, .timeLimit(.minutes(5)))
struct AccountLogTests {
    @Test("LG-01: no token, code, address or credential is in a log line, an audit line or a metric")
    func secrets() async throws {
        let trail = Trail()
        let plan = Plan.with {
            $0.audit = trail.audit
            $0.returnsProviderTokens = true
            $0.appCheck = .log(apps: [])
        }
        try await TestServer.open(plan) { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            let appCheck = try await server.standIns.appCheckToken("1:1:web:secret")
            var secrets = [alice.idToken, bjorn.idToken, appCheck]
            var browser = TestBrowser(server)
            let handoff = try await LinkFlowTests.go(
                &browser, try await LinkFlowTests.push(alice), as: "carol")
            let bodies: [(String, JSON)] = [
                ("link", try await server.xCodeBody(user: "bjorn")), ("link", try await server.tokenPairBody()),
                ("link", LinkFlowTests.handoff(handoff)), ("reauthenticate", try await server.idTokenBody()),
                ("reauthenticate", try await server.callbackBody()),
                ("unlink", ["provider": "nobody@example.com"]), ("unlink", ["provider": "twitter.com"]),
                ("merge", ["client_id": "my-app", "from_id_token": .string(bjorn.idToken)]),
                ("merge", ["client_id": "my-app", "pending_credential": "pending-hush"]),
                ("signout", ["provider": "yahoo.com", "token": "token-hush"]),
                ("signout", ["client_id": "client-hush"]),
            ]
            for (name, body) in bodies {
                let response = try await alice.post(
                    "/v1/account/\(name)", body, header: [HeaderField("X-Firebase-AppCheck", appCheck)])
                let sent = (body["credential"]?.object ?? [:]).filter { !["type", "redirect_uri"].contains($0.key) }
                secrets += sent.values.compactMap(\.string)
                for member in ["custom_token", "pending_credential"] {
                    secrets += [response.json?[member]?.string].compactMap(\.self)
                }
                secrets += (response.json?["oauth"]?.object ?? [:]).filter { !["scope"].contains($0.key) }
                    .values.compactMap(\.string)
            }
            _ = try await alice.ask("GET", "/v1/account?client_id=query-hush")
            _ = try await alice.ask("DELETE", "/v1/account")
            #expect(secrets.count > 15)
            let metrics = try await server.get("/metrics", admin: true).text
            for text in [server.log.text, trail.text, metrics] {
                #expect(text.contains("/v1/account/link"))
                for secret in secrets + ["hush", "@", "Alice", "Example", "com.example.app:"] {
                    #expect(!text.contains(secret), "\(secret)")
                }
            }
        }
    }
}
