import Jansson
import Providers
import SQLiteStores
import Server
import Support
import Testing
import Transport

@Suite("The log line of a request", .serialized, .timeLimit(.minutes(5)))
struct RequestLogTests {
    @Test(
        "If the provider refuses the registration of this server, the line names the cause and the advice for the operator"
    )
    func advice() async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody()
            try await server.standIns.fault(
                "yahoo.token", ["status": 401, "body": #"{"error":"INVALID_CLIENT_SECRET"}"#])
            let response = try await server.exchange(body)
            try expectRefusal(response, "provider_refuses_us")
            let line = try #require(server.log.lines.first { $0.contains("provider_refuses_us") })
            let refusal = try #require(ClientRefusal.allCases.first { line.contains($0.advice) })
            #expect(line.hasPrefix("error request"))
            #expect(line.contains(#""cause": \#(refusal.rawValue)"#))
            #expect(line.contains("A running server has read file: values at its start or last reload"), "\(line)")
            #expect(!response.text.contains(refusal.advice))
        }
    }

    @Test("The line has what the provider says, and the response has not")
    func words() async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody()
            let answer = #"{"error":"invalid_request","error_description":"device_id is missing or invalid"}"#
            try await server.standIns.fault("yahoo.token", ["status": 400, "body": .string(answer)])
            let response = try await server.exchange(body)
            try expectRefusal(response, "provider_error", retry: "restart")
            let line = try #require(server.log.lines.first { $0.contains("provider_error") })
            #expect(
                line.contains(
                    #""provider_says": error: invalid_request; error_description: device_id is missing or invalid"#))
            #expect(!response.text.contains("device_id"))
        }
    }

    @Test("If the store fails, the line has the advice for the operator of this store")
    func storeAdvice() async throws {
        try await TestServer.open { server in
            let body = try await server.idTokenBody()
            try server.store.close()
            try expectRefusal(try await server.exchange(body), "store_unavailable", retry: "same")
            let line = try #require(server.log.lines.first { $0.contains("store_unavailable") })
            #expect(line.contains(#""advice": remedy of store.unavailable."#), "\(line)")
        }
    }

    @Test(
        "The line of a header that is too large has its size, and blames cookies if they are most of it",
        arguments: [
            ("Cookie: a=", "octets, 17002 of them in cookies; cookies of other programs at this host, at any port,"),
            ("Authorization: B ", "octets, 0 of them in cookies"),
        ])
    func largeHeader(_ field: String, _ finding: String) async throws {
        try await TestServer.open { server in
            let response = try await server.raw(
                TestServer.request(header: [field + String(repeating: "a", count: 17_000)]))
            try expectRefusal(response, "headers_too_large")
            let line = try #require(server.log.lines.first { $0.contains("headers_too_large") })
            #expect(line.contains(finding), "\(line)")
            #expect(line.contains("cookies of other programs") == field.hasPrefix("Cookie"), "\(line)")
            #expect(!line.contains("long"), "\(line)")
        }
    }

    @Test(
        "The line of a wrong method names the right ones, and for GET what turns another method into it",
        arguments: [
            ("GET /v1/exchange", "the endpoint has POST; a client that sent it may have followed a redirect", true),
            ("PUT /v1/account", "the endpoint has GET and DELETE", false),
        ])
    func otherMethod(_ start: String, _ finding: String, _ isGET: Bool) async throws {
        try await TestServer.open { server in
            let response = try await server.raw(TestServer.request(start + " HTTP/1.1", header: [], body: ""))
            try expectRefusal(response, "method_not_allowed")
            let line = try #require(server.log.lines.first { $0.contains("method_not_allowed") })
            #expect(line.contains(#""finding": \#(finding)"#), "\(line)")
            #expect(line.contains("redirect") == isGET, "\(line)")
        }
    }

    @Test(
        "A request that the decoder refuses has a line, which says what the parser found",
        arguments: [
            ("GET /authorize?login_hint=m\u{FC}ller HTTP/1.1\r\nHost: a\r\n\r\n", "the parser says: invalid URL."),
            ("GET /authorize?state=a b HTTP/1.1\r\nHost: a\r\n\r\n", "the parser says: "),
            (
                "POST /token HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
                "the parser says: unexpected content-length header."
            ),
        ])
    func invalid(_ request: String, _ finding: String) async throws {
        try await TestServer.open { server in
            _ = try await Wire.connect(to: server.publicPort) { wire in
                try? await wire.send(request)
                return await wire.rest()
            }
            let line = try #require(server.log.lines.first { $0.contains("malformed_body") })
            #expect(line.hasPrefix("info a connection ended at a request that is no valid HTTP"), "\(line)")
            #expect(line.contains(finding), "\(line)")
            #expect(!line.contains("authorize"), "\(line)")
        }
    }

    @Test("A header that the decoder refuses has a line, which names the limits")
    func hugeHeader() async throws {
        try await TestServer.open { server in
            let cookie = "Cookie: a=" + String(repeating: "a", count: 33 * 1024)
            _ = try await Wire.connect(to: server.publicPort) { wire in
                try? await wire.send(TestServer.request(header: [cookie]))
                return await wire.rest()
            }
            let line = try #require(server.log.lines.first { $0.contains("headers_too_large") })
            #expect(line.hasPrefix("info a connection ended at a request whose header is too large"), "\(line)")
            let limits = "more than 32768 octets, all have more than 65536, or there are more than 400 fields"
            #expect(line.contains(limits), "\(line)")
        }
    }

    @Test("A failed callback names the provider")
    func callback() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for (path, isNamed) in [("yahoo.com", true), ("unknown.example", false)] {
                #expect(try await browser.get("/callback/\(path)?code=c&state=s").status == 400)
                let line = try #require(server.log.lines.last { $0.contains("/callback") })
                #expect(line.contains(#""provider": yahoo.com"#) == isNamed, "\(line)")
            }
        }
    }

    @Test(
        "A callback without any cookie tells the operator of proxies that remove them",
        arguments: [
            (nil, "the browser sent no cookie"), ("__session=abc", "the browser sent no cookie"),
            ("_ga=GA1.2", "the browser sent cookies, and none of a sign-in"),
        ] as [(String?, String)])
    func withoutCookie(_ cookie: String?, _ finding: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server, header: cookie.map { [HeaderField("Cookie", $0)] } ?? [])
            #expect(try await browser.get("/callback/yahoo.com?code=c&state=s").status == 400)
            let line = try #require(server.log.lines.last { $0.contains("/callback") })
            #expect(line.hasPrefix("info request"))
            #expect(line.contains("a proxy in front of this server removes or changes cookies"), "\(line)")
            #expect(line.contains("Firebase Hosting does with all but __session"), "\(line)")
            #expect(line.contains("Let the proxy pass Cookie and Set-Cookie unchanged"), "\(line)")
            #expect(line.contains("or by http in place of https"), "\(line)")
            #expect(line.contains(#""finding": \#(finding)"#), "\(line)")
        }
    }

    @Test("An unknown client_id is told with the configured ones, and is not shown itself")
    func unknownClient() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            #expect(try await browser.get("/authorize?client_id=invalid-one&response_type=code").status == 400)
            let line = try #require(server.log.lines.last { $0.contains("/authorize") })
            #expect(line.contains("the client_id is none of clients in the configuration, which has "), "\(line)")
            #expect(!line.contains("invalid-one"), "\(line)")
        }
    }

    @Test("A refusal by a rule for one client names the client, unless it is not configured")
    func client() async throws {
        try await TestServer.open { server in
            for (client, isNamed) in [("living-room-tv", true), ("invalid-one", false)] {
                #expect(try await server.post("/v1/anonymous", ["client_id": .string(client)]).status >= 400)
                let line = try #require(server.log.lines.last { $0.contains("/v1/anonymous") })
                #expect(line.contains(#""client": living-room-tv"#) == isNamed, "\(line)")
                #expect(!line.contains("invalid-one"), "\(line)")
            }
        }
    }

    @Test("A form of /device without a cookie tells the operator of cookies, and of no key")
    func deviceFormWithoutCookie() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            _ = try await browser.get(BrowserRequest.path())
            let form = try await browser.get("/device")
            browser.cookies.removeAll { $0.name.hasSuffix("device") }
            let fields = ["flow": form.hiddenFlow ?? "", "user_code": "BCDF-GHJK"]
            #expect(try await browser.post("/device", fields).status == 400)
            let line = try #require(server.log.lines.last { $0.contains("/device") })
            let finding = #""finding": the browser sent no cookie of /device"#
            #expect(line.contains(finding) && !line.contains("seal_keys"), "\(line)")
            #expect(line.contains("or the browser blocks or deletes cookies"), "\(line)")
        }
    }

    @Test("A callback in a frame without a cookie tells the operator of frames, and of no proxy")
    func inFrame() async throws {
        try await TestServer.open { server in
            let header = [HeaderField("Sec-Fetch-Dest", "iframe"), HeaderField("Sec-Fetch-Site", "cross-site")]
            var browser = TestBrowser(server, header: header)
            #expect(try await browser.get("/callback/yahoo.com?code=c&state=s").status == 400)
            let line = try #require(server.log.lines.last { $0.contains("/callback") })
            let finding = "the browser sent no cookie, and the page is in a frame (Sec-Fetch-Dest)"
            #expect(line.contains("\"finding\": \(finding)"), "\(line)")
            #expect(line.contains("Open the address of /authorize in a window or tab of its own"), "\(line)")
            #expect(!line.contains("proxy"), "\(line)")
        }
    }

    @Test(
        "The log has what an authorization request lacks",
        arguments: [
            ("code_challenge_method=S256", "code_challenge is missing"),
            ("code_challenge=x", "code_challenge_method is missing, which means plain, and not S256"),
            ("code_challenge=x&code_challenge_method=plain", "code_challenge_method is plain, and not S256"),
            ("code_challenge=x&code_challenge_method=SHA-256", "code_challenge_method is SHA-256, and not S256"),
            (
                "codeChallenge=x&code_challenge_method=S256",
                "code_challenge is missing, and the request has codeChallenge"
            ),
            (
                "code_challenge=x&codeChallengeMethod=S256",
                "code_challenge_method is missing, and the request has codeChallengeMethod"
            ),
            (
                "response_mode=fragment",
                "The parameter response_mode is fragment, and none of query, form_post, web_message. See its schema"
            ),
            (
                "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&prompt=none+login",
                "The parameter prompt contains none, and is not exactly none. See its schema"
            ),
        ])
    func lacking(parameters: String, finding: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let request = "/authorize?response_type=code&client_id=my-app&redirect_uri=http://127.0.0.1/callback"
            _ = try await browser.get("\(request)&\(parameters)")
            #expect(server.log.text.contains("\"finding\": \(finding)"), "\(server.log.text)")
            _ = try await browser.get(request.replacing("code", with: "token"))
            #expect(server.log.text.contains("response_type is token, and not code"), "\(server.log.text)")
            for (name, sought) in [("requestUri", "request_uri"), ("redirect_url", "redirect_uri")] {
                _ = try await browser.get(request.replacing("redirect_uri", with: name))
                #expect(server.log.text.contains("\(sought) is missing, and the request has \(name)"))
            }
            _ = try await browser.get("/authorize?client_id=my-app&request_uri=https://app.example/request.jwt")
            #expect(server.log.text.contains("request_uri is not one that /par returns"), "\(server.log.text)")
            _ = try await browser.get("\(request)&state=a&state=b")
            #expect(server.log.text.contains("the parameter state occurs twice"), "\(server.log.text)")
            _ = try await browser.get("\(request)&scope=email%profile%offline_access")
            let broken = "the parameter scope has a percent sign without two hexadecimal digits after it"
            #expect(server.log.text.contains(broken), "\(server.log.text)")
            _ = try await browser.get(request.replacing("&", with: "&amp;"))
            #expect(server.log.text.contains("&amp; stands in place of & in front of client_id"), "\(server.log.text)")
        }
    }

    @Test(
        "The log has what is wrong with a form, such as how it spells a parameter that it lacks",
        arguments: [
            ("grantType=authorization_code", "grant_type is missing, and the request has grantType"),
            ("?grant_type=authorization_code", "grant_type is missing, and the request has ?grant_type"),
            (#"{"grant_type":"authorization_code"}"#, "the form has no =, and so no parameter: if it is JSON"),
            ("grant_type%3Dauthorization_code%26code%3Dc", "the form has no =, and so no parameter"),
            ("grant_type=authorization_code&amp;client_id=c", "&amp; stands in place of & in front of client_id"),
            (
                "grant_type=authorization_code&client_id=c&code-verifier=v",
                "code_verifier is missing, and the request has code-verifier"
            ),
            ("grant_type=authorization_code&client_id=c&code_verifier=v", "The parameter code is missing."),
            (
                "grant_type=authorization_code&client_id=c&code=100%",
                "the parameter code has a percent sign without two hexadecimal digits after it"
            ),
            ("grant_type=authorization_code\n", "the form has a line break or another control character"),
            ("grant_type=refresh_token", "grant_type is refresh_token, and must be one of authorization_code, urn:"),
        ])
    func misspelt(form: String, finding: String) async throws {
        try await TestServer.open { server in
            try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(
                    TestServer.request(
                        "POST /token HTTP/1.1", header: ["Content-Type: application/x-www-form-urlencoded"], body: form)
                )
                #expect(try await wire.response()?.status == 400)
            }
            #expect(server.log.text.contains("\"finding\": \(finding)"), "\(server.log.text)")
        }
    }

    @Test("The log names an Authorization field that identifies no client", arguments: ["KEY x", "Basic undefined"])
    func otherAuthorization(field: String) async throws {
        try await TestServer.open { server in
            let response = try await server.form(
                "/token", server.handoff("c"), header: [HeaderField("Authorization", field)])
            #expect(response.status == 401)
            #expect(server.log.text.contains("or one that is neither Bearer nor Basic"), "\(server.log.text)")
        }
    }

    @Test("The log names the parameter of a callback that occurs twice, and says that a body was cut off")
    func cutOff() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            _ = try await browser.get("/callback/yahoo.com?code=c&state=a&state=b")
            #expect(server.log.text.contains("the parameter state occurs twice"), "\(server.log.text)")
            try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(
                    "POST /token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                        + "Content-Length: 100\r\n\r\na=b")
            }
            while !server.log.text.contains("the connection ended within the body") {
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }

    @Test("An authorization request that is posted is named as such, and no cookie is missed")
    func postedRequest() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            _ = try await browser.post(
                "/authorize", ["client_id": "c", "response_type": "code", "redirect_uri": "https://app.example/cb"])
            let line = try #require(server.log.lines.last { $0.contains("/authorize") })
            #expect(line.contains("an authorization request was posted: the application has to send the browser here"))
            #expect(!line.contains("cookie"), "\(line)")
        }
    }

    @Test("A callback of a browser that has only other sign-ins says so to the operator")
    func otherCookie() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server, header: [HeaderField("Cookie", "__Host-flow-abc=def")])
            #expect(try await browser.get("/callback/yahoo.com?code=c&state=s").status == 400)
            let line = try #require(server.log.lines.last { $0.contains("/callback") })
            let finding = "the browser sent cookies of sign-ins (1), and none of this one that can still be used"
            #expect(line.contains(#""finding": \#(finding)"#), "\(line)")
            #expect(!line.contains("Firebase Hosting"), "\(line)")
            #expect(line.contains("If seal_keys was changed, add the earlier key behind the new one."), "\(line)")
            #expect(line.contains("If the browser sent 8 of these cookies, newer sign-ins"), "\(line)")
            #expect(line.contains("the provider has to return it without any change"), "\(line)")
        }
    }

    @Test("The start of a sign-in is logged with the provider that it names, if the server has it")
    func start() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for (provider, isNamed) in [("yahoo.com", true), ("unknown.example", false)] {
                _ = try await browser.get("/authorize?client_id=unknown&provider=\(provider)")
                let line = try #require(server.log.lines.last { $0.contains("/authorize") })
                #expect(line.contains("\"provider\": \(provider)") == isNamed, "\(line)")
            }
        }
    }

    @Test("An ID token that the provider sends and that cannot be used is a warning with advice")
    func redeemedToken() async throws {
        // {"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"k1","cty":"JWT"}
        let encrypted =
            "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkExMjhDQkMtSFMyNTYiLCJraWQiOiJrMSIsImN0eSI6IkpXVCJ9.AAEC.AAEC.AAEC.AAEC"
        try await TestServer.open { server in
            let body = try await server.codeBody()
            try await server.standIns.fault("yahoo.token", ["set": ["id_token": .string(encrypted)]])
            try expectRefusal(try await server.exchange(body), "malformed_token")
            let line = try #require(server.log.lines.first { $0.contains("malformed_token") })
            #expect(line.hasPrefix("warning request"))
            #expect(line.contains("If the provider encrypts its ID tokens for this client, switch that off"))
            #expect(line.contains("the token is encrypted (a JWE with five parts)"))
        }
    }

    @Test("A provider that is not available for a time leads to no advice")
    func others() async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody()
            try await server.standIns.fault("yahoo.token", ["status": 503])
            let response = try await server.exchange(body)
            try expectRefusal(response, "provider_error", retry: "same")
            #expect(!server.log.text.contains("advice"))
        }
    }
}

@Suite("Times in logs and audit")
struct TimestampTests {
    @Test(
        "A time is RFC 3339 in UTC with milliseconds, before 1970 as well",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_700_000_000_007, "2023-11-14T22:13:20.007Z"),
            (1_700_000_000_120, "2023-11-14T22:13:20.120Z"), (1_709_210_096_999, "2024-02-29T12:34:56.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (-1_000, "1969-12-31T23:59:59.000Z"),
        ] as [(Int64, String)])
    func text(milliseconds: Int64, text: String) {
        #expect("\(Timestamp(milliseconds: milliseconds))" == text)
    }
}
