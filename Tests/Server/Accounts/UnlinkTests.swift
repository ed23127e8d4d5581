import Jansson
import Testing
import Transport

@Suite("Unlinking", .serialized, .timeLimit(.minutes(5)))
struct UnlinkTests {
    private static func withTwo(_ street: Street) async throws -> Person {
        let alice = try await street.atYahoo()
        #expect(try await alice.link(try await street.xCodeBody()).status == 200)
        return alice
    }

    @Test("An identity leaves the account, which is answered as it is then")
    func success() async throws {
        try await Street.open { street in
            let alice = try await Self.withTwo(street)
            let answer = try await alice.unlink("twitter.com")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json?.object?.keys.sorted() == ["account"])
            #expect(answer.json?["account"] == (try await alice.account()))
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("LK-11: the last identity stays")
    func last() async throws {
        try await Street.open { street in
            let alice = try await Self.withTwo(street)
            #expect(try await alice.unlink("yahoo.com").status == 200)
            try expectRefusal(try await alice.unlink("twitter.com"), "last_identity")
            #expect(try await alice.providers() == ["twitter.com"])
        }
    }

    @Test("LK-11: of two that unlink the last two at once, one is refused")
    func race() async throws {
        for _ in 0..<5 {
            try await Street.open { street in
                let alice = try await Self.withTwo(street)
                async let first = alice.unlink("yahoo.com")
                async let second = alice.unlink("twitter.com")
                let reasons = [try await first.reason, try await second.reason]
                #expect(reasons.filter { $0 == nil }.count == 1 && reasons.contains("last_identity"), "\(reasons)")
                #expect(try await alice.providers().count == 1)
            }
        }
    }

    @Test("LK-12: what the account has not is unlinked from nobody")
    func notLinked() async throws {
        try await Street.open { street in
            let alice = try await Self.withTwo(street)
            let bjorn = try await street.atYahoo("bjorn")
            try expectRefusal(try await bjorn.unlink("twitter.com"), "no_such_provider")
            try expectRefusal(try await bjorn.unlink("nobody.example"), "no_such_provider")
            #expect(try await alice.unlink("twitter.com").status == 200)
            try expectRefusal(try await alice.unlink("twitter.com"), "no_such_provider")
            #expect(try await alice.providers() == ["yahoo.com"])
            #expect(try await bjorn.providers() == ["yahoo.com"])
        }
    }

    @Test("LK-17: whoever comes by an unlinked identity has a new account, and nobody else's")
    func signInAgain() async throws {
        try await Street.open { street in
            let alice = try await Self.withTwo(street)
            #expect(try await alice.unlink("yahoo.com").status == 200)
            let answer = try await street.exchange(try await street.codeBody())
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json?["is_new_user"] == true)
            #expect(answer.json?["uid"]?.string != alice.uid)
            let uid = answer.json?["uid"]?.string
            #expect(try await street.exchange(try await street.codeBody()).json?["uid"]?.string == uid)
            #expect(try await alice.providers() == ["twitter.com"])
        }
    }

    @Test("LK-13: neither a cookie, nor a form, nor a query changes an account", arguments: BearerTests.posts)
    func crossSite(path: String) async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            let cookie = ["Cookie: __session=\(alice.idToken); Authorization=\(alice.idToken)"]
            try expectRefusal(
                try await street.raw(
                    Street.request(
                        "POST \(path) HTTP/1.1", header: cookie + ["Content-Type: application/json"], body: "{}")),
                "id_token_missing")
            for method in ["GET", "PUT", "DELETE", "HEAD"] {
                let answer = try await alice.ask(method, path)
                #expect(answer?.status == 405)
                #expect(answer?[field: "Allow"] == "POST")
            }
            for type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=a"] {
                try expectRefusal(
                    try await alice.ask("POST", path, body: "{}", header: ["Content-Type: \(type)"]),
                    "unsupported_media_type")
            }
            try expectRefusal(
                try await street.raw(
                    Street.request(
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
        try await Street.open { street in
            let alice = try await Self.withTwo(street)
            for (path, body) in [
                ("link", try await street.xCodeBody()), ("reauthenticate", try await street.xCodeBody()),
                ("unlink", ["client_id": "my-app", "provider": "twitter.com"]), ("signout", ["client_id": "my-app"]),
                ("merge", ["client_id": "my-app", "from_id_token": "a"]),
            ] as [(String, JSON)] {
                let answer = try await alice.post(
                    "/v1/account/\(path)", body, header: [HeaderField("Origin", "https://evil.example")])
                try expectRefusal(answer, "origin_not_allowed")
                #expect(answer[field: "Access-Control-Allow-Origin"] == nil)
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
