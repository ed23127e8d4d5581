import Jansson
import SQLiteStores
import Sandbox
import Server
import Standards
import Testing
import Transport

/// Callbacks of a flow: each is one attempt, and the application learns its result.
@Suite("Callbacks of a browser flow", .serialized, .timeLimit(.minutes(5)))
struct CallbackTests {
    private static let ended = "This sign-in has ended"

    @Test(
        "CB-24: the application gets a code, its state and our name, and nothing else",
        arguments: ["yahoo.com", "twitter.com"])
    func success(provider: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let response = try await browser.get(try await browser.callback(["provider": provider]))
            #expect(response.status == 303)
            expectSafeHeader(response)
            let told = response.told
            #expect(told.keys.sorted() == ["code", "iss", "state"])
            #expect(told["state"] == BrowserRequest.state)
            #expect(told["iss"] == "https://auth.example.com")
            #expect(told["code"]?.utf8.count == 43)
            #expect(
                response.location
                    == "\(BrowserRequest.redirectURI)?code=\(told["code"] ?? "")&state=\(BrowserRequest.state)&iss=https%3A%2F%2Fauth.example.com"
            )
            #expect(response.body.isEmpty)
            #expect(browser.cookies.isEmpty, "The flow is over, and its cookie with it.")
            #expect(!server.log.text.contains(told["code"] ?? "?"))
            let uid = provider == "yahoo.com" ? "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4" : "twitter.com:2244994945"
            expectToken(try await server.redeem(told["code"] ?? ""), uid: uid)
        }
    }

    @Test("CB-04, CB-28: the same callback again is a page, and no second call")
    func again() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            var reloading = browser
            let code = try await browser.get(callback).told["code"] ?? ""
            try expectProblem(try await browser.get(callback), Self.ended)
            // A browser that kept the cookie is no better off, and no link undoes the sign-in.
            let page = try await reloading.get(callback)
            try expectProblem(page, Self.ended)
            #expect(!page.text.contains("error="))
            #expect(try await server.tokenRequests() == 1)
            expectToken(try await server.redeem(code))
        }
    }

    @Test("CB-05: fifty parallel callbacks of a browser get one code, and the provider is called once")
    func race() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            server.gate.shut()
            let codes = try await withThrowingTaskGroup(of: String?.self, returning: [String].self) {
                [browser] group in
                for _ in 0..<50 {
                    group.addTask {
                        var copy = browser
                        return try await copy.get(callback).told["code"]
                    }
                }
                await server.gate.isReached()
                for _ in 0..<2500 where server.concurrencyLimit.inFlight < 50 {
                    try await Task.sleep(for: .milliseconds(2))
                }
                server.gate.open()
                var codes: [String] = []
                for try await case let code? in group { codes.append(code) }
                return codes
            }
            // One that began after the others have their response gets the page.
            #expect(codes.count > 1)
            #expect(Set(codes).count == 1)
            #expect(try await server.tokenRequests() == 1)
            expectToken(try await server.redeem(codes[0]))
        }
    }

    @Test("CB-06: ten minutes after it began a flow has ended")
    func expiry() async throws {
        for (seconds, status) in [(599, 303), (600, 400)] {
            try await TestServer.open { server in
                var browser = TestBrowser(server)
                let left = try await browser.get(BrowserRequest.path())
                server.clock.advance(by: .seconds(seconds))
                let callback = try await browser.consent(at: left.location ?? "")
                let response = try await browser.get(callback)
                #expect(response.status == status)
                if status == 400 { try expectProblem(response, Self.ended) }
            }
        }
    }

    @Test(
        "CB-08: a refusal at the provider is redirected with access_denied, once",
        arguments: ["yahoo.com", "twitter.com"])
    func denied(provider: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback(["provider": provider], decision: "deny")
            let reloading = browser
            expectTold(try await browser.get(callback), "access_denied")
            #expect(browser.cookies.isEmpty)
            browser = reloading
            #expect(try await server.tokenRequests() == 0)
            let state = String(callback.firstMatch(of: /state=([^&]*)/)?.output.1 ?? "")
            // The flow is spent: not even a code ends it any more.
            try expectProblem(try await browser.get("/callback/\(provider)?code=c&state=\(state)"), Self.ended)
            #expect(try await server.tokenRequests() == 0)
        }
    }

    @Test(
        "Another error of the provider is sent as an error of RFC 6749 or OpenID Connect, without its text",
        arguments: [
            ("invalid_scope", "invalid_scope"), ("server_error", "temporarily_unavailable"),
            ("login_required", "login_required"), ("consent_required", "consent_required"),
            ("account_selection_required", "account_selection_required"),
            ("interaction_required", "interaction_required"), ("%3Cscript%3E", "temporarily_unavailable"),
        ])
    func providerError(theirs: String, ours: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let state = try await browser.get(BrowserRequest.path()).told["state"] ?? ""
            let response = try await browser.get(
                "/callback/yahoo.com?error=\(theirs)&error_description=%3Cb%3Esecret&state=\(state)")
            expectTold(response, ours)
            #expect(!(response.location ?? "").contains("secret"))
        }
    }

    @Test(
        "HT-09: a slash that the provider appends to the path, or another case, is refused, and both paths are named",
        arguments: ["yahoo.com/", "Yahoo.com"])
    func otherPath(_ path: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            let other = callback.replacing("/callback/yahoo.com?", with: "/callback/\(path)?")
            try expectProblem(try await browser.get(other), "The response of the sign-in service cannot be received")
            let line = try #require(server.log.lines.last { $0.contains("/callback") })
            #expect(
                line.contains(
                    "the provider sent the browser to /callback/\(path), and the redirect URI of the request ends with "
                        + "/callback/yahoo.com"))
            #expect(line.contains("in the same case and without a slash at its end"))
            #expect(line.contains(#""provider": yahoo.com"#) == path.hasSuffix("/"))
            #expect(try await server.tokenRequests() == 0)
            expectToken(try await server.redeem(try await browser.get(callback).told["code"] ?? ""))
        }
    }

    @Test(
        "CB-10: a callback without a code is not the fault of the person, and the operator reads what it has",
        arguments: [
            ("", "the callback has no code, or an empty one"), ("&code=", "the callback has no code, or an empty one"),
            (
                "&oauth_token=request-token-1&oauth_verifier=verifier-1",
                "in place of a code, the callback has oauth_token or oauth_verifier, which are of OAuth 1.0a"
            ),
        ])
    func noCode(_ rest: String, _ finding: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            let state = try Parameters.parse(callback.drop { $0 != "?" }.dropFirst())["state"] ?? ""
            try expectProblem(
                try await browser.get("/callback/yahoo.com?state=\(state)\(rest)"),
                "The response of the sign-in service cannot be received")
            let line = try #require(server.log.lines.last { $0.contains("/callback") })
            #expect(line.contains(#""finding": \#(finding)"#), "\(line)")
            #expect(line.contains("the provider has to send"), "\(line)")
            #expect(!line.contains("request-token-1") && !line.contains("verifier-1"), "\(line)")
            #expect(try await server.tokenRequests() == 0)
            expectToken(try await server.redeem(try await browser.get(callback).told["code"] ?? ""))
        }
    }

    @Test("An error without the parameter error is told to the application, and its text only to the operator")
    func unnamedError() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let state = try await browser.get(BrowserRequest.path()).told["state"] ?? ""
            let response = try await browser.get(
                "/callback/yahoo.com?error_code=1349048&error_message=Can%27t+load+URL&state=\(state)")
            expectTold(response, "temporarily_unavailable")
            #expect(!(response.location ?? "").contains("load"))
            let line = try #require(server.log.lines.last { $0.contains("/callback") })
            #expect(line.contains("error_code: 1349048; error_message: Can't load URL"), "\(line)")
        }
    }

    @Test("CB-15: two flows of one browser end by their own state, independently of each other")
    func twoFlows() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let other = ["state": "second", "provider": "twitter.com", "redirect_uri": "https://app.example.com/cb"]
            let first = try await browser.callback(["state": "first"])
            let second = try await browser.callback(other, as: "bjorn")
            #expect(browser.cookies.count == 2)
            let firstEnd = try await browser.get(first)
            #expect(firstEnd.told["state"] == "first")
            #expect(browser.cookies.count == 1)
            expectToken(try await server.redeem(firstEnd.told["code"] ?? ""))
            let secondEnd = try await browser.get(second)
            #expect(secondEnd.told["state"] == "second")
            expectToken(try await server.redeem(secondEnd.told["code"] ?? ""), uid: "twitter.com:1580661436132757506")
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("CB-15: of two flows of one browser at one provider, the second may end first")
    func crossed() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let first = try await browser.callback(["state": "first"], as: "alice")
            let second = try await browser.callback(["state": "second"], as: "bjorn")
            let secondEnd = try await browser.get(second)
            let firstEnd = try await browser.get(first)
            #expect(firstEnd.told["state"] == "first" && secondEnd.told["state"] == "second")
            expectToken(try await server.redeem(firstEnd.told["code"] ?? ""))
            expectToken(
                try await server.redeem(secondEnd.told["code"] ?? ""), uid: "yahoo.com:BJORNWJNWVNQD4GXZ5NGMZUST4")
        }
    }

    @Test("CB-20: a stolen code in the thief's own flow is found out by the nonce, though the provider ignores PKCE")
    func stolenCode() async throws {
        try await TestServer.open { server in
            var victim = TestBrowser(server)
            let stolen = String((try await victim.callback()).firstMatch(of: /code=([^&]*)/)?.output.1 ?? "")
            var thief = TestBrowser(server)
            let own = try await thief.callback(as: "mallory")
            expectTold(try await thief.get(own.replacing(/code=[^&]*/, with: "code=" + stolen)), "server_error")
            #expect(try await server.tokenRequests() == 1)
        }
    }

    @Test(
        "CB-21: an ID token without this flow's nonce ends in no code",
        arguments: [
            ["remove": ["nonce"]], ["set": ["nonce": "another"]], ["set": ["nonce": ["a", "b"]]],
            ["set": ["nonce": ""]], ["key": "foreign"], ["key": "none"], ["set": ["aud": "another"]],
            ["set": ["iss": "https://evil.example"]], ["set": ["exp": 1]], ["remove": ["sub"]],
        ] as [JSON])
    func badIDToken(defect: JSON) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            try await server.standIns.spoilNextIDToken(defect)
            expectTold(try await browser.get(callback), "server_error")
            #expect(try await server.tokenRequests() == 1)
            expectToken(try await server.redeem(try await browser.signIn()))
        }
    }

    @Test("CB-23: other parameters of a callback do not change the user")
    func furtherParameters() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            let response = try await browser.get(
                callback + "&user=%7B%22email%22%3A%22victim%40x%22%7D&email=victim%40x&uid=victim&sub=victim&scope=x")
            let token = try await server.redeem(response.told["code"] ?? "")
            expectToken(token)
            #expect(token.json?["profile"]?["email"]?.string == "alice@example.com")
        }
    }

    @Test(
        "What is not read of a callback may hold anything, and the application learns of the refusal",
        arguments: [
            "error_description=AADSTS65004%3a+declined.%0d%0aTrace+ID%3a+0aa%0d%0aTimestamp%3a+2026-11-25",
            "error_description=refus%E9", "error_description=%zz&error_subcode=cancel&error_subcode=cancel",
        ])
    func unreadParameters(text: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let state = try await browser.get(BrowserRequest.path()).told["state"] ?? ""
            let response = try await browser.get("/callback/yahoo.com?error=access_denied&\(text)&state=\(state)")
            expectTold(response, "access_denied")
        }
    }

    @Test(
        "The operator reads the words of a description with line breaks, in one line, and the application does not"
    )
    func describedError() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let state = try await browser.get(BrowserRequest.path()).told["state"] ?? ""
            let response = try await browser.get(
                "/callback/yahoo.com?error=invalid_client&error_description=AADSTS650052%3a+The+app+needs+access.%0d%0aTrace+ID%3a"
                    + "%1b%5b31m&state=\(state)")
            expectTold(response, "temporarily_unavailable")
            #expect(
                server.log.lines.contains {
                    $0.contains(
                        "error: invalid_client; error_description: AADSTS650052: The app needs access. Trace ID:")
                        && !$0.contains("\u{1B}")
                })
            #expect(response.told["error_description"]?.contains("AADSTS") == false)
        }
    }

    @Test("CB-27: a redirect of the token endpoint is not followed")
    func redirectedTokenRequest() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            try await server.standIns.fault(
                "yahoo.token",
                ["status": 302, "header": ["Location": .string(server.standIns.addresses.x + "/2/users/me")]])
            expectTold(try await browser.get(callback), "temporarily_unavailable")
            #expect(try await server.standIns.calls(of: "x.users_me") == 0)
        }
    }

    @Test(
        "A failing provider ends the flow, and the application receives the error",
        arguments: [["status": 500], ["drop": true], ["body": "{"], ["status": 400, "body": "{}"]] as [JSON])
    func providerFails(fault: JSON) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            let reloading = browser
            try await server.standIns.fault("yahoo.token", fault)
            let told = try await browser.get(callback).told
            #expect(["temporarily_unavailable", "server_error"].contains(told["error"]))
            #expect(told["state"] == BrowserRequest.state)
            var copy = reloading
            try expectProblem(try await copy.get(callback), Self.ended)
            #expect(try await server.tokenRequests() == 1)
        }
    }

    @Test("If the provider does not know the code, the application receives the error")
    func unknownCode() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let state = try await browser.get(BrowserRequest.path()).told["state"] ?? ""
            expectTold(try await browser.get("/callback/yahoo.com?code=made-up&state=\(state)"), "server_error")
        }
    }

    @Test("If the store does not respond, the application receives the error")
    func storeFails() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            try server.store.close()
            expectTold(try await browser.get(callback), "temporarily_unavailable")
            #expect(try await server.tokenRequests() == 0)
            #expect(browser.cookies.count == 1, "The flow is as good as before.")
        }
    }
}
