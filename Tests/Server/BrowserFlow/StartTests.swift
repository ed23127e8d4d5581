import Sandbox
import Standards
import Testing
import Transport

@Suite("Starting a browser flow", .serialized, .timeLimit(.minutes(5)))
struct StartTests {
    @Test(
        "An https redirect URI and a provider lead to the provider at once, with a state that is not the application's")
    func leaves() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let response = try await browser.get(BrowserRequest.path())
            #expect(response.status == 303)
            #expect(response.location?.hasPrefix(server.standIns.addresses.yahoo + "/oauth2/request_auth?") ?? false)
            expectSafeHeader(response)
            let sent = response.told
            #expect(sent["redirect_uri"] == "https://auth.example.com/callback/yahoo.com")
            #expect(sent["response_type"] == "code")
            #expect(sent["scope"] == "openid profile email")
            #expect((43...128).contains(sent["nonce"]?.utf8.count ?? 0))
            #expect(sent["state"]?.utf8.count == 43)
            #expect(sent["state"] != BrowserRequest.state)
            #expect(sent["code_challenge"] == nil, "Yahoo refuses it for a confidential client.")
            #expect(browser.cookies.count == 1)
        }
    }

    @Test("ST-01: a redirect URI that is not the application's is answered with a page, never a redirect")
    func foreignRedirectURI() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for uri in ["https://evil.example/cb", "https://other.example.com/cb", "com.example.app:/yahoo"] {
                try expectProblem(
                    try await browser.get(BrowserRequest.path(["redirect_uri": uri])), "This sign-in cannot continue")
            }
            try expectProblem(
                try await browser.get(BrowserRequest.path(["client_id": "nobody"])),
                "This application is not known here")
            try expectProblem(try await browser.get(BrowserRequest.path(["client_id": nil])), "This link is damaged")
            try expectProblem(try await browser.get(BrowserRequest.path(["redirect_uri": nil])), "This link is damaged")
            let bare = try await browser.get("/authorize")
            try expectProblem(bare, "This link is damaged")
            #expect(bare.text.contains("If you see this page again, tell the developers of the application."))
            #expect(browser.cookies.isEmpty)
            #expect(try await server.standIns.calls() == 0)
            expectToken(try await server.redeem(try await browser.signIn()))
        }
    }

    @Test("ST-02: however like the registered one a redirect URI is written, it is another")
    func similarRedirectURI() async throws {
        let registered = "https://app.example.com/cb"
        let uris = [
            "https://app.example.com@evil.example/cb", "https://app.example.com.evil.example/cb",
            "https://app.example.com:443@evil.example/", "https:/\\evil.example", "//evil.example", "/\\evil.example",
            "/%09/evil", "/./\\evil", "/./../../\\evil", "https://APP.example.com/cb", "https://app.example.com./cb",
            "HTTPS://app.example.com/cb", "https://app.example.com:443/cb", "https://app.example.com/cb/",
            "https://app.example.com/CB", "https://app.example.com/c", "https://app.example.com/cb%20",
            "https://app.example.com/cb?", "https://app.example.com/cb#", "https://app.example.com/cb#x",
            "https://app.example.com/cb?x=1", "https://app.example.com/cb/..%2f", "https://app.example.com/./cb",
            "https://app.example.com//cb", "https://app.example.com/%63b", "https://app.ex\u{430}mple.com/cb",
            "https://xn--app-example.com/cb", "javascript:alert(1)", "data:text/html,x", registered + "\u{FF0F}",
            " " + registered, registered + " ", registered + "," + registered, "app.example.com/cb", "*",
        ]
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for uri in uris {
                try expectProblem(
                    try await browser.get(BrowserRequest.path(["redirect_uri": uri])), "This sign-in cannot continue")
            }
            // Control characters are no part of any parameter.
            for uri in ["/\t\\evil", "/\u{B}/evil", "/\r/evil", "/\n\\evil", "/\t\t\\\t/evil", registered + "\0"] {
                try expectProblem(
                    try await browser.get(BrowserRequest.path(["redirect_uri": uri])), "This link is damaged")
            }
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("ST-03: a look-alike of a loopback address is refused, and only the port may differ")
    func loopback() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for uri in [
                "http://127.0.0.1.evil.example:1/callback", "http://localhost.evil/callback",
                "http://localhost/callback",
                "http://0x7f000001/callback", "http://[::ffff:127.0.0.1]/callback", "http://127.0.0.1:0/callback",
                "http://127.0.0.1:65536/callback", "http://127.0.0.1:1@evil.example/callback", "http://127.1/callback",
                "http://127.0.0.1:8080/callback/", "http://127.0.0.1:8080/cb", "https://127.0.0.1:8080/callback",
                "http://127.0.0.1:/callback", "http://127.0.0.1:+80/callback",
            ] {
                try expectProblem(
                    try await browser.get(BrowserRequest.path(["redirect_uri": uri])), "This sign-in cannot continue")
            }
            for uri in ["http://127.0.0.1/callback", "http://127.0.0.1:51004/callback"] {
                #expect(
                    try await browser.get(BrowserRequest.path(["redirect_uri": uri])).heading == "Sign in to My App")
            }
        }
    }

    @Test("ST-04: http beyond loopback and the scheme of another application are not valid redirect URIs")
    func scheme() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for uri in ["http://app.example.com/cb", "com.example.hostile:/oauth", "com.example.app://oauth"] {
                try expectProblem(
                    try await browser.get(BrowserRequest.path(["redirect_uri": uri])), "This sign-in cannot continue")
            }
        }
    }

    @Test(
        "ST-05: a repeated parameter, in any spelling, results in a page",
        arguments: [
            "redirect_uri=https%3A%2F%2Fevil.example", "redirect%5Furi=https%3A%2F%2Fevil.example",
            "provider=twitter.com", "%70rovider=twitter.com", "code_challenge=" + BrowserRequest.challenge, "state=x",
            "st%61te=x", "client_id=my-app", "scope=openid&scope=openid", "unknown=1&unknown=1",
        ])
    func repeated(_ further: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for query in [BrowserRequest.query() + "&" + further, further + "&" + BrowserRequest.query()] {
                try expectProblem(try await browser.get("/authorize?" + query), "This link is damaged")
            }
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("resource and audience may be repeated (RFC 8707 §2, RFC 8693 §2.1), and are ignored")
    func resources() async throws {
        try await TestServer.open { server in
            let further = "&resource=https%3A%2F%2Fa.example&resource=https%3A%2F%2Fb.example&audience=a&audience=b"
            var browser = TestBrowser(server)
            let response = try await browser.get("/authorize?" + BrowserRequest.query() + further)
            #expect(response.status == 303 && response.location?.contains("a.example") == false)
        }
    }

    @Test(
        "The error of a challenge names the usual mistakes of programs that make it",
        arguments: [
            (BrowserRequest.challenge + "=", "has padding. Remove the equals sign at its end"),
            (
                String(repeating: "0f", count: 32), "is hexadecimal. Encode the 32 octets of the hash in base64url"
            ),
            (
                String(repeating: "A", count: 86),
                "is the encoding of 64 octets, as of hexadecimal digits. Encode the 32 octets of the hash in base64url"
            ),
            (
                String(BrowserRequest.challenge.dropLast()) + "+",
                "is not the base64url of 32 octets. Write - for +, _ for / and no padding"
            ),
            ("abc", "has 3 octets. Send the SHA-256 of code_verifier in base64url, which has 43"),
        ])
    func mistakenChallenge(_ challenge: String, problem: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let response = try await browser.get(BrowserRequest.path(["code_challenge": challenge]))
            #expect(
                response.told["error_description"]
                    == "The parameter code_challenge \(problem) (RFC 7636 section 4.2).")
        }
    }

    @Test(
        "ST-06: without a challenge of the method S256 the application receives the error",
        arguments: [
            ["code_challenge": nil], ["code_challenge_method": nil], ["code_challenge_method": "plain"],
            ["code_challenge_method": "s256"], ["code_challenge_method": "none"], ["code_challenge_method": ""],
            ["code_challenge": ""], ["code_challenge": nil, "code_challenge_method": nil],
        ] as [[String: String?]])
    func challenge(_ changes: [String: String?]) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            expectTold(try await browser.get(BrowserRequest.path(changes)), "invalid_request")
            #expect(browser.cookies.isEmpty)
            #expect(try await server.standIns.calls() == 0)
        }
    }

    @Test(
        "ST-07: a challenge is 32 octets in base64url, and in its one spelling",
        arguments: [
            String(BrowserRequest.challenge.dropLast()), BrowserRequest.challenge + "A", BrowserRequest.challenge + "=",
            String(BrowserRequest.challenge.dropLast()) + "N", String(BrowserRequest.challenge.dropLast()) + "+",
            String(repeating: "a", count: 128), String(repeating: "a", count: 129), "é" + BrowserRequest.challenge,
            BrowserRequest.challenge.replacing("-", with: "+"),
        ])
    func malformedChallenge(_ challenge: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            expectTold(try await browser.get(BrowserRequest.path(["code_challenge": challenge])), "invalid_request")
        }
    }

    @Test("ST-08: no value of the browser changes the provider's address or the client id there")
    func overrides() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let plain = try await browser.get(BrowserRequest.path()).told
            let response = try await browser.get(
                BrowserRequest.path([
                    "issuer": "https://evil.example", "authorization_endpoint": "https://evil.example/authorize",
                    "token_endpoint": "https://evil.example/token", "jwks_uri": "https://evil.example/jwks",
                    "client_secret": "s", "nonce": "mine", "id_token_hint": "h", "claims": "{}",
                    "oauth_callback": "https://evil.example", "acr_values": "1", "prompt": "login",
                ]))
            #expect(response.location?.hasPrefix(server.standIns.addresses.yahoo + "/oauth2/request_auth?") ?? false)
            var sent = response.told
            #expect(sent["nonce"] != "mine")
            #expect(
                sent.removeValue(forKey: "prompt") == "login", "That one is among the provider's allowed_parameters.")
            #expect(sent.keys.sorted() == plain.keys.sorted())
            for name in ["client_id", "redirect_uri", "scope", "response_type"] { #expect(sent[name] == plain[name]) }
        }
    }

    @Test("A request object, an intent and another response mode are refused, since passing them over would mislead")
    func notPassedOver() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for change in [("request", "a.b.c"), ("intent", "link"), ("response_mode", "fragment")] {
                expectTold(try await browser.get(BrowserRequest.path([change.0: change.1])), "invalid_request")
            }
            #expect(try await browser.get(BrowserRequest.path(["response_mode": "query"])).status == 303)
            expectTold(
                try await browser.get(BrowserRequest.path(["response_type": "token"])), "unsupported_response_type")
            expectTold(
                try await browser.get(BrowserRequest.path(["response_type": "code id_token"])),
                "unsupported_response_type")
            expectTold(try await browser.get(BrowserRequest.path(["response_type": nil])), "invalid_request")
        }
    }

    @Test(
        "Scopes of OpenID Connect are ignored, allowed ones are added, and others are reported to the application")
    func scopes() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            #expect(
                try await browser.get(BrowserRequest.path(["scope": "openid mail-r email offline_access"])).told[
                    "scope"]
                    == "openid profile email mail-r")
            expectTold(try await browser.get(BrowserRequest.path(["scope": "mail-w"])), "invalid_scope")
            expectTold(try await browser.get(BrowserRequest.path(["max_age": "soon"])), "invalid_request")
            expectTold(try await browser.get(BrowserRequest.path(["flow": "implicit"])), "invalid_request")
        }
    }

    @Test("ST-10: nothing of a value becomes a header field")
    func injection() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for name in ["state", "login_hint", "scope", "provider"] {
                let path = BrowserRequest.path([name: nil]) + "&\(name)=a%0d%0aSet-Cookie:%20a=b"
                let response = try await browser.get(path)
                try expectProblem(response, "This link is damaged")
                #expect(response.setCookies.isEmpty)
            }
        }
    }

    @Test("ST-12: no two flows have a state, a nonce or a cookie in common")
    func unique() async throws {
        try await TestServer.open { server in
            var all: [Set<String>] = [[], [], [], []]
            for _ in 0..<200 {
                var browser = TestBrowser(server)
                let sent = try await browser.get(BrowserRequest.path()).told
                let cookie = try #require(browser.cookies.first)
                for (index, value) in [sent["state"], sent["nonce"], cookie.name, cookie.value].enumerated() {
                    all[index].insert(value ?? "")
                }
            }
            #expect(all.map(\.count) == [200, 200, 200, 200])
            #expect(all[0].isDisjoint(with: all[1]))
            // No counter and no common beginning.
            for values in all.prefix(2) { #expect(Set(values.map { $0.prefix(4) }).count > 190) }
        }
    }

    @Test("ST-13: a link cannot begin linking: an intent at /authorize is refused")
    func link() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for intent in ["link", "reauthenticate"] {
                expectTold(try await browser.get(BrowserRequest.path(["intent": intent])), "invalid_request")
            }
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("ST-14: a planted cookie is neither kept nor used, and the server's own cookies cannot be planted")
    func fixation() async throws {
        try await TestServer.open { server in
            var victim = TestBrowser(server)
            victim.cookies = [("__Host-flow-planted", "value"), ("__Host-device", "value")]
            let response = try await victim.get(BrowserRequest.path())
            let cookie = try #require(response.setCookies.first)
            #expect(response.setCookies.count == 1)
            #expect(cookie.name.hasPrefix("__Host-flow-") && cookie.name.utf8.count == 34)
            #expect(cookie.name != "__Host-flow-planted" && cookie.value != "value")
            #expect(cookie.attributes == ["Path=/", "Max-Age=600", "HttpOnly", "SameSite=Lax", "Secure"])
        }
    }

    @Test("On http the cookie has neither prefix nor Secure, which browsers would not take there")
    func plain() async throws {
        var plan = Plan()
        plan.issuer = "http://127.0.0.1:8080"
        try await TestServer.open(plan) { server in
            var browser = TestBrowser(server)
            let cookie = try #require(try await browser.get(BrowserRequest.path()).setCookies.first)
            #expect(cookie.name.hasPrefix("flow-") && cookie.name.utf8.count == 27)
            #expect(cookie.attributes == ["Path=/", "Max-Age=600", "HttpOnly", "SameSite=Lax"])
            let finished = try await browser.get(try await browser.callback())
            #expect(finished.told["iss"] == "http://127.0.0.1:8080")
            expectToken(try await server.redeem(finished.told["code"] ?? ""))
        }
    }

    @Test("ST-17: a state of the application may have a kilobyte, and is returned unchanged")
    func longState() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let state = String(repeating: "é&=+%", count: 170)
            let finished = try await browser.get(try await browser.callback(["state": state]))
            #expect(finished.told["state"] == state)
            let longer = try await browser.get(BrowserRequest.path(["state": String(repeating: "a", count: 1025)]))
            try expectProblem(longer, "This link is damaged")
            let line = try #require(server.log.lines.last { $0.contains("/authorize") })
            #expect(line.contains("state is longer than 1024 octets"))
            let foreign = try await browser.get(
                BrowserRequest.path([
                    "state": String(repeating: "a", count: 1025), "redirect_uri": "https://evil.example/cb",
                ]))
            #expect(foreign.status == 400 && foreign.location == nil)
            let huge = try await browser.get(BrowserRequest.path(["state": String(repeating: "a", count: 8192)]))
            try expectProblem(huge, "This page cannot be opened like this", status: 414)
        }
    }

    @Test("A state is optional")
    func noState() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let finished = try await browser.get(try await browser.callback(["state": nil]))
            #expect(finished.told.keys.sorted() == ["code", "iss"])
            expectTold(
                try await browser.get(BrowserRequest.path(["state": nil, "response_type": "x"])),
                "unsupported_response_type",
                state: nil)
        }
    }

    @Test(
        "ST-18: a provider that is not configured is reported to the application",
        arguments: ["nobody.example", "../yahoo", "YAHOO.COM", "yahoo.com.", "yahoo.com ", "Yahoo"])
    func provider(_ id: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            expectTold(try await browser.get(BrowserRequest.path(["provider": id])), "invalid_request")
            #expect(try await server.standIns.calls() == 0)
            let disabled = ["client_id": "x-only", "redirect_uri": "https://other.example.com/cb"]
            expectTold(
                try await browser.get(BrowserRequest.path(disabled)), "access_denied",
                redirectURI: "https://other.example.com/cb")
        }
    }

    @Test("ST-20: a provider's URL that is opened in another browser ends in a browser without the flow")
    func otherBrowser() async throws {
        try await TestServer.open { server in
            var first = TestBrowser(server)
            let callback = try await first.callback()
            var second = TestBrowser(server)
            try expectProblem(try await second.get(callback), "This sign-in has ended")
            #expect(try await first.get(callback).status == 303)
        }
    }
}
