import Jansson
import Sandbox
import Testing

@Suite("Front page")
struct FrontPageTests {
    @Test("The page explains the sandbox and the server's defences, and has a button for every scenario")
    func content() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            let reply = try await visitor.get("/")
            #expect(reply.status == 200)
            for text in ["stand-ins", "do not exist", "Replay.", "Another application’s token.", "A stolen code."] {
                #expect(reply.text.contains(text), "\(text)")
            }
            for scenario in [
                "browser-yahoo", "browser-x", "browser-x-oauth1", "browser-provider", "redirect-yahoo", "redirect-x",
                "redirect-x-oauth1",
                "library-yahoo", "library-yahoo-rfc8693", "library-x", "device", "attack-other-application",
                "attack-other-consumer", "attack-access-token", "attack-altered", "attack-unsigned",
            ] {
                #expect(reply.text.contains("value=\"\(scenario)\""), "\(scenario)")
            }
            for provider in DocumentedProvider.all {
                #expect(reply.text.contains("name=\"provider\" value=\"\(provider.id)\""), "\(provider.id)")
            }
            #expect(!reply.text.contains("does not answer"))
        }
    }

    @Test("A button of another provider starts a sign-in with it, and an unknown provider none")
    func otherProvider() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            for (provider, isKnown) in [("github.com", true), ("yahoo.com", false), ("evil.example", false)] {
                let reply = try await visitor.press(
                    "/runs", [("scenario", "browser-provider"), ("provider", provider)])
                #expect(reply.status == (isKnown ? 303 : 404))
                #expect((reply[field: "location"]?.contains("&provider=\(provider)") ?? false) == isKnown)
            }
        }
    }

    @Test("The page has no scripts and no resources of other origins")
    func policy() async throws {
        try await HomeVisitor.visit { visitor in
            let reply = try await visitor.get("/")
            let policy = reply[field: "content-security-policy"] ?? ""
            #expect(policy.contains("default-src 'none'") && policy.contains("style-src 'self'"))
            #expect(!policy.contains("script") && !policy.contains("unsafe"))
            #expect(!reply.text.contains("<script") && !reply.text.contains("style="))
            #expect(try await visitor.get("/style.css")[field: "content-type"] == "text/css; charset=utf-8")
            for origin in [visitor.origin, visitor.client.addresses.yahoo, visitor.client.addresses.providers] {
                #expect(try await visitor.get(origin + "/favicon.ico").status == 204)
            }
        }
    }

    @Test("If the server is not reachable, the page explains how to start it")
    func unreachable() async throws {
        try await HomeVisitor.visit { visitor in
            let reply = try await visitor.get("/")
            #expect(reply.status == 200)
            #expect(reply.text.contains("The server does not answer"))
            #expect(reply.text.contains("scripts/run"))
        }
    }

    @Test("Without a server the control listener has no home page")
    func without() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.get(client.addresses.control + "/")
            #expect(reply.text.contains("Sandbox control"))
            #expect(try await client.get(client.addresses.control + "/callback").status == 404)
        }
    }

    @Test(
        "A host name that resolves to this machine by DNS rebinding is refused",
        arguments: ["evil.example:8083", "127.0.0.1.evil.example:8083", "127.0.0.1:99999", "127.0.0.1:80x"])
    func rebinding(host: String) async throws {
        try await HomeVisitor.visit { visitor in
            for path in ["/", "/runs/some", "/callback"] {
                let reply = try await visitor.client.get(visitor.origin + path, header: ["Host: \(host)"])
                #expect(reply.status == 403)
            }
        }
    }

    @Test("A request to localhost is redirected to 127.0.0.1, the name of the cookie and of the redirect URIs")
    func localhost() async throws {
        try await HomeVisitor.visit { visitor in
            let port = visitor.origin.split(separator: ":").last ?? ""
            let reply = try await visitor.client.get(visitor.origin + "/?a=b", header: ["Host: localhost:\(port)"])
            #expect(reply.status == 303)
            #expect(reply[field: "location"] == visitor.origin + "/?a=b")
        }
    }

    @Test(
        "A button pressed on another page does nothing",
        arguments: [
            ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"], ["Sec-Fetch-Site: none"],
            ["Origin: http://evil.example"], ["Origin: null"],
        ])
    func forgery(header: [String]) async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            for path in [
                "/runs", "/runs/some/poll", "/runs/some/signout", "/runs/some/steps/1/replay", "/users/alice/reset",
                "/users/alice/factor",
            ] {
                let reply = try await visitor.client.post(
                    visitor.origin + path, form: [("scenario", "library-yahoo")], header: header)
                #expect(reply.status == 403)
            }
            #expect(await visitor.server.requests.isEmpty)
        }
    }

    @Test("GET changes nothing")
    func methods() async throws {
        try await HomeVisitor.visit { visitor in
            for path in [
                "/runs", "/runs/some/poll", "/runs/some/signout", "/runs/some/steps/1/replay", "/users/alice/reset",
                "/users/alice/factor",
            ] {
                let reply = try await visitor.get(path)
                #expect(reply.status == 405)
            }
            #expect(try await visitor.press("/runs", [("scenario", "no-such")]).status == 404)
            #expect(try await visitor.get("/runs/some").status == 404)
        }
    }
}
