import Jansson
import Testing
import Transport

@Suite("Unlinking", .serialized, .timeLimit(.minutes(5)))
struct UnlinkTests {
    private static func withTwo(_ server: TestServer) async throws -> Person {
        let alice = try await server.atYahoo()
        #expect(try await alice.link(try await server.xCodeBody()).status == 200)
        return alice
    }

    @Test("An identity leaves the account, which is answered as it is then")
    func success() async throws {
        try await TestServer.open { server in
            let alice = try await Self.withTwo(server)
            let response = try await alice.unlink("twitter.com")
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json?.object?.keys.sorted() == ["account"])
            #expect(response.json?["account"] == (try await alice.account()))
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("LK-11: the last identity stays")
    func last() async throws {
        try await TestServer.open { server in
            let alice = try await Self.withTwo(server)
            #expect(try await alice.unlink("yahoo.com").status == 200)
            try expectRefusal(try await alice.unlink("twitter.com"), "last_identity")
            #expect(try await alice.providers() == ["twitter.com"])
        }
    }

    @Test("LK-11: of two that unlink the last two at once, one is refused")
    func race() async throws {
        for _ in 0..<5 {
            try await TestServer.open { server in
                let alice = try await Self.withTwo(server)
                async let first = alice.unlink("yahoo.com")
                async let second = alice.unlink("twitter.com")
                let reasons = [try await first.reason, try await second.reason]
                #expect(reasons.filter { $0 == nil }.count == 1 && reasons.contains("last_identity"), "\(reasons)")
                #expect(try await alice.providers().count == 1)
            }
        }
    }

    @Test("LK-12: unlinking an identity that the account does not have changes no account")
    func notLinked() async throws {
        try await TestServer.open { server in
            let alice = try await Self.withTwo(server)
            let bjorn = try await server.atYahoo("bjorn")
            try expectRefusal(try await bjorn.unlink("twitter.com"), "no_such_provider")
            try expectRefusal(try await bjorn.unlink("nobody.example"), "no_such_provider")
            #expect(try await alice.unlink("twitter.com").status == 200)
            try expectRefusal(try await alice.unlink("twitter.com"), "no_such_provider")
            #expect(try await alice.providers() == ["yahoo.com"])
            #expect(try await bjorn.providers() == ["yahoo.com"])
        }
    }

    @Test("LK-17: signing in with an unlinked identity makes a new account")
    func signInAgain() async throws {
        try await TestServer.open { server in
            let alice = try await Self.withTwo(server)
            #expect(try await alice.unlink("yahoo.com").status == 200)
            let response = try await server.exchange(try await server.codeBody())
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json?["is_new_user"] == true)
            #expect(response.json?["uid"]?.string != alice.uid)
            let uid = response.json?["uid"]?.string
            #expect(try await server.exchange(try await server.codeBody()).json?["uid"]?.string == uid)
            #expect(try await alice.providers() == ["twitter.com"])
        }
    }

    @Test("LK-13: neither a cookie, nor a form, nor a query changes an account", arguments: BearerTests.posts)
    func crossSite(path: String) async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let cookie = ["Cookie: __session=\(alice.idToken); Authorization=\(alice.idToken)"]
            try expectRefusal(
                try await server.raw(
                    TestServer.request(
                        "POST \(path) HTTP/1.1", header: cookie + ["Content-Type: application/json"], body: "{}")),
                "id_token_missing")
            for method in ["GET", "PUT", "DELETE", "HEAD"] {
                let response = try await alice.ask(method, path)
                #expect(response?.status == 405)
                #expect(response?[field: "Allow"] == "POST")
            }
            for type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=a"] {
                try expectRefusal(
                    try await alice.ask("POST", path, body: "{}", header: ["Content-Type: \(type)"]),
                    "unsupported_media_type")
            }
            try expectRefusal(
                try await server.raw(
                    TestServer.request(
                        "POST \(path)?access_token=\(alice.idToken) HTTP/1.1",
                        header: ["Content-Type: application/json"], body: "{}")), "id_token_missing")
            try expectRefusal(
                try await alice.ask(
                    "POST", path + "?client_id=my-app", body: "{}", header: ["Content-Type: application/json"]),
                "malformed_body")
        }
    }

    @Test("LK-13: a page of another origin may ask for nothing")
    func origin() async throws {
        try await TestServer.open { server in
            let alice = try await Self.withTwo(server)
            for (path, body) in [
                ("link", try await server.xCodeBody()), ("reauthenticate", try await server.xCodeBody()),
                ("unlink", ["client_id": "my-app", "provider": "twitter.com"]), ("signout", ["client_id": "my-app"]),
                ("merge", ["client_id": "my-app", "from_id_token": "a"]),
            ] as [(String, JSON)] {
                let response = try await alice.post(
                    "/v1/account/\(path)", body, header: [HeaderField("Origin", "https://evil.example")])
                try expectRefusal(response, "origin_not_allowed")
                #expect(response[field: "Access-Control-Allow-Origin"] == nil)
            }
            for method in ["GET", "DELETE"] {
                try expectRefusal(
                    try await alice.ask(
                        method, "/v1/account?client_id=my-app", header: ["Origin: https://evil.example"]),
                    "origin_not_allowed")
            }
            #expect(try await alice.providers() == ["twitter.com", "yahoo.com"])
        }
    }
}
