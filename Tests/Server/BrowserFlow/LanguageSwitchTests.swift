import Standards
import Testing
import Transport

/// The switch for the language on the pages, which sends the form of the page with `language=<tag>`.
@Suite("Language switch", .serialized, .timeLimit(.minutes(5)))
struct LanguageSwitchTests {
    private static func language(_ page: OutboundResponse) -> String? { page[field: "Content-Language"] }

    @Test("The page before the provider changes its language, and its flow continues")
    func signIn() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["provider": nil]))
            let cookies = browser.cookies
            let german = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "language": "de"])
            #expect(german.status == 200)
            #expect(german.heading == "Bei My App anmelden")
            #expect(Self.language(german) == "de")
            expectPage(german)
            #expect(german.hiddenFlow == page.hiddenFlow)
            #expect(german.buttons("provider") == page.buttons("provider"))
            #expect(browser.cookies.map(\.name) == cookies.map(\.name) + ["__Host-language"])
            #expect(browser.cookies.first?.value == cookies.first?.value, "The flow keeps its end.")
            #expect(try await server.standIns.calls() == 0)
            let left = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"])
            let finished = try await browser.get(try await browser.consent(at: left.location ?? ""))
            expectToken(try await server.redeem(finished.told["code"] ?? ""))
        }
    }

    @Test("The choice precedes ui_locales and the preferences of the browser, on every later page")
    func laterPages() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server, header: [HeaderField("Accept-Language", "hi")])
            let path = BrowserRequest.path(["provider": nil, "ui_locales": "bn"])
            let page = try await browser.get(path)
            #expect(Self.language(page) == "bn")
            let chosen = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "language": "ja"])
            let cookie = try #require(chosen.setCookies.first)
            #expect(chosen.setCookies.count == 1)
            #expect(cookie.name == "__Host-language" && cookie.value == "ja")
            #expect(cookie.attributes == ["Path=/", "Max-Age=86400", "HttpOnly", "SameSite=Lax", "Secure"])
            #expect(Self.language(try await browser.get(path)) == "ja")
            #expect(Self.language(try await browser.get("/device")) == "ja")
            #expect(Self.language(try await browser.get("/callback/yahoo.com?code=c&state=s")) == "ja")
            browser.cookies = [("__Host-language", "sv")]
            #expect(Self.language(try await browser.get(path)) == "bn")
        }
    }

    @Test("The pages of a device flow change their language, and keep code and step")
    func device() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let form = try await browser.get("/device")
            let french = try await browser.post(
                "/device", ["flow": form.hiddenFlow ?? "", "user_code": "BCDF-GH", "language": "fr"])
            #expect(french.heading == "Saisissez le code affiché sur votre appareil")
            #expect(french.text.contains("value=\"BCDF-GH\""))
            #expect(!french.text.contains("role=\"alert\""))
            let asked = try await browser.post(
                "/device", ["flow": french.hiddenFlow ?? "", "user_code": device.userCode])
            let spanish = try await browser.post("/device", ["flow": asked.hiddenFlow ?? "", "language": "es"])
            #expect(spanish.heading == "¿Iniciar sesión en Living Room TV en tu dispositivo?")
            #expect(spanish.text.contains(device.userCode))
            #expect(spanish.buttons("provider") == asked.buttons("provider"))
            let left = try await browser.post("/device", ["flow": spanish.hiddenFlow ?? "", "provider": "yahoo.com"])
            let verified = try await browser.get(try await browser.consent(at: left.location ?? ""))
            #expect(Self.language(verified) == "es")
            let english = try await browser.post("/device", ["flow": verified.hiddenFlow ?? "", "language": "en"])
            #expect(english.heading == "Last step: sign in to Living Room TV?")
            #expect(english.text.contains("Alice Example, alice@example.com"))
            #expect(english.text.contains("Yahoo"))
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
            #expect(try await browser.decide("approve", on: english).heading == "Done. Return to your device.")
            expectToken(try await device.poll())
        }
    }

    @Test("A page of another browser or an ended one is not shown again")
    func foreignFlow() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["provider": nil]))
            let asked = try await browser.enter(device.userCode)
            let started = try await browser.get(BrowserRequest.path()).told["state"] ?? ""
            let ended = "This sign-in has ended"
            var other = TestBrowser(server)
            _ = try await other.get("/device")
            let unusable = "This page cannot be used any more"
            for (path, flow, heading) in [
                ("/authorize", page.hiddenFlow, ended), ("/device", asked.hiddenFlow, unusable),
            ] {
                let fields = ["flow": flow ?? "", "language": "en"]
                try expectProblem(try await other.post(path, fields), heading)
                #expect(try await browser.post(path, fields).status == 200)
                try expectProblem(try await browser.post(path, fields.changing(["flow": "x"])), heading)
            }
            try expectProblem(try await browser.post("/authorize", ["flow": started, "language": "en"]), ended)
            server.clock.advance(by: .seconds(600))
            try expectProblem(
                try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "language": "en"]), ended)
        }
    }

    @Test("A language without texts is refused", arguments: ["sv", "DE", "en-GB"])
    func unknown(tag: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["provider": nil]))
            for path in ["/authorize", "/device"] {
                let response = try await browser.post(path, ["flow": page.hiddenFlow ?? "", "language": tag])
                try expectProblem(response, "This link is damaged")
                #expect(response.setCookies.isEmpty)
            }
        }
    }

    @Test("A form of another site changes no language")
    func foreignForm() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["provider": nil]))
            let response = try await browser.post(
                "/authorize", ["flow": page.hiddenFlow ?? "", "language": "de"],
                header: [HeaderField("Sec-Fetch-Site", "cross-site")])
            try expectProblem(response, "This link is damaged")
            #expect(response.setCookies.isEmpty)
        }
    }
}
