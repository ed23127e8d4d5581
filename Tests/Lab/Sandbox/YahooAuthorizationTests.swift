import Jansson
import Sandbox
import Testing

@Suite("Yahoo's authorization endpoint")
struct YahooAuthorizationTests {
    @Test("The page is a form without script, under a strict policy")
    func page() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.post(
                client.addresses.yahoo + "/oauth2/request_auth", form: client.authorization(["state": "<b>\"'"]))
            #expect(reply.status == 200)
            #expect(reply[field: "content-security-policy"]?.hasPrefix("default-src 'none'; style-src 'self'") == true)
            #expect(reply.text.contains("action=\"/oauth2/request_auth/decision\""))
            #expect(reply.text.contains("value=\"&lt;b&gt;&quot;&#39;\""))
            #expect(!reply.text.contains("<script"))
        }
    }

    @Test("Consent redirects the browser with a code of seven characters and the state")
    func consent() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.decide()
            #expect(reply.status == 302)
            #expect(reply[field: "location"]?.hasPrefix("com.example.app:/yahoo?code=") == true)
            #expect(reply.locationParameters["code"]?.count == 7)
            #expect(reply.locationParameters["state"] == "st")
        }
    }

    @Test("A refusal redirects the browser with access_denied and the state")
    func refusal() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.decide(decision: "deny")
            #expect(reply.locationParameters == ["error": "access_denied", "state": "st"])
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let changes: [String: String?]
        let shown: String
    }

    @Test(
        "Any other error is shown on Yahoo's own page, without a redirect",
        arguments: [
            Fault(testDescription: "client", changes: ["client_id": "other"], shown: "INVALID_CONSUMER_KEY"),
            Fault(
                testDescription: "redirect", changes: ["redirect_uri": "com.example.app:/yahoo/"],
                shown: "INVALID_CALLBACK_URL"),
            Fault(testDescription: "type", changes: ["response_type": "token"], shown: "INVALID_RESPONSE_TYPE"),
            Fault(testDescription: "lesser scope", changes: ["scope": "openid sdct-r"], shown: "INVALID_SCOPE"),
            Fault(testDescription: "nonce", changes: ["nonce": nil], shown: "PARAMETER_ABSENT"),
            Fault(testDescription: "prompt", changes: ["prompt": "none"], shown: "PARAMETER_REJECTED"),
            Fault(
                testDescription: "challenge of a confidential client",
                changes: ["code_challenge": SandboxClient.challenge, "code_challenge_method": "S256"],
                shown: "unauthorized_client: invalid client id"),
        ])
    func errorPage(fault: Fault) async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.decide(fault.changes)
            #expect(reply.status == 400)
            #expect(reply[field: "location"] == nil)
            #expect(reply.text.contains(fault.shown))
        }
    }

    @Test("A parameter that occurs twice is refused")
    func twice() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.post(
                client.addresses.yahoo + "/oauth2/request_auth", form: client.authorization() + [("state", "st")])
            #expect(reply.status == 400)
            #expect(reply.text.contains("INVALID_INPUT"))
        }
    }

    @Test("Scopes may be separated by commas, and sdct-w is accepted")
    func scopes() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.decide(["scope": "openid,sdct-w"])
            #expect(reply.status == 302)
        }
    }

    @Test(
        "A loopback redirect URI without a port matches every port, and no other path or host",
        arguments: [
            ("http://127.0.0.1:50123/callback", 302), ("http://127.0.0.1:50123/callback/", 400),
            ("http://127.0.0.1:/callback", 400), ("http://127.0.0.1:1@example.com/callback", 400),
            ("http://localhost:50123/callback", 400),
        ])
    func loopback(uri: String, status: Int) async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.decide(["redirect_uri": uri])
            #expect(reply.status == status)
        }
    }

    @Test("A registration with S256 binds the code to the verifier, and refuses plain")
    func proofKey() async throws {
        try await SandboxClient.withSandbox { client in
            try await client.control(
                "PUT", "/applications",
                .object([
                    "provider": .string("yahoo.com"), "application": .string("ours"), "pkce": .string("S256"),
                ]))
            let plain: [String: String?] = [
                "code_challenge": SandboxClient.verifier, "code_challenge_method": "plain",
            ]
            #expect(try await client.decide(plain).text.contains("invalid code challenge or method"))
            for (verifier, status) in [(SandboxClient.verifier, 200), (SandboxClient.challenge, 401), (nil, 401)] {
                let reply = try await client.decide([
                    "code_challenge": SandboxClient.challenge, "code_challenge_method": "S256",
                ])
                let code = reply.locationParameters["code"] ?? ""
                #expect(try await client.redeem(code, verifier: verifier).status == status)
            }
        }
    }
}
