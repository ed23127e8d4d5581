import Jansson
import Sandbox
import Testing

@Suite("Stand-ins for the providers with a template")
struct ProviderTests {
    private static let ids = DocumentedProvider.all.map(\.id)

    /// A request of our application to an authorization endpoint, after the user's decision.
    private static func decide(
        _ client: SandboxClient, at path: String, _ provider: String, _ parameters: [(String, String)]
    ) async throws -> Reply {
        try await client.post(
            client.addresses.providers + "/" + provider + path + "/decision",
            form: [
                ("client_id", "sandbox-ours-at-\(provider)"), ("redirect_uri", "com.example.app:/\(provider)"),
                ("response_type", "code"), ("state", "st"), ("user", "alice"), ("decision", "allow"),
            ] + parameters)
    }

    private static func redeem(
        _ client: SandboxClient, at path: String, _ provider: String, code: String, header: [String] = [],
        _ further: [(String, String)] = []
    ) async throws -> Reply {
        try await client.post(
            client.addresses.providers + "/" + provider + path,
            form: [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "com.example.app:/\(provider)"),
                ("client_id", "sandbox-ours-at-\(provider)"), ("client_secret", "sandbox+secret/of=ours"),
            ] + further, header: header)
    }

    private static func issue(
        _ client: SandboxClient, _ provider: String, user: String = "alice"
    ) async throws -> JSON {
        try await client.control(
            "POST", "/issue",
            .object([
                "provider": .string(provider), "application": .string("ours"), "user": .string(user),
                "nonce": .string("no"), "redirect_uri": .string("com.example.app:/\(provider)"),
            ]))
    }

    @Test("Each provider issues its documented answer for every user", arguments: ids)
    func answers(id: String) async throws {
        try await SandboxClient.withSandbox { client in
            for user in ["alice", "kobayashi"] {
                let issued = try await Self.issue(client, id, user: user)
                #expect(issued["access_token"]?.string != nil && issued["code"]?.string != nil)
            }
        }
    }

    @Test("A code is redeemed once, and only with the redirect URI and the verifier of its request")
    func codes() async throws {
        try await SandboxClient.withSandbox { client in
            // RFC 7636 appendix B.
            let challenge = [
                ("scope", "user:email"), ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
                ("code_challenge_method", "S256"),
            ]
            let verifier = ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
            let path = "/login/oauth/access_token"
            for (further, isRight) in [
                ([verifier], true), ([], false), ([("code_verifier", String(repeating: "x", count: 43))], false),
            ] {
                let reply = try await Self.decide(client, at: "/login/oauth/authorize", "github.com", challenge)
                let code = try #require(reply[field: "location"]?.split(separator: "code=").last.map(String.init))
                for attempt in [isRight, false] {
                    let reply = try await Self.redeem(
                        client, at: path, "github.com", code: code, header: ["Accept: application/json"], further)
                    #expect(reply.status == 200)
                    #expect((reply.json?["access_token"] != nil) == attempt)
                    #expect((reply.json?["error"]?.string == "bad_verification_code") == !attempt)
                }
            }
        }
    }

    @Test("GitHub answers with a form unless the request accepts JSON")
    func form() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await Self.redeem(client, at: "/login/oauth/access_token", "github.com", code: "no")
            #expect(reply.text.hasPrefix("error=bad_verification_code&error_description="))
        }
    }

    @Test("Apple demands a form for a scope, and sends the name at the first sign-in only, or after a reset")
    func appleForm() async throws {
        try await SandboxClient.withSandbox { client in
            let scope = [("scope", "openid name email"), ("nonce", "no")]
            #expect(try await Self.decide(client, at: "/auth/authorize", "apple.com", scope).status == 400)
            for isFirst in [true, false, true] {
                let reply = try await Self.decide(
                    client, at: "/auth/authorize", "apple.com", scope + [("response_mode", "form_post")])
                #expect(reply.status == 200 && reply.text.contains(#"action="com.example.app:/apple.com""#))
                #expect(reply.text.contains("firstName") == isFirst)
                if !isFirst { try await client.control("POST", "/users/reset", .object(["user": .string("alice")])) }
            }
        }
    }

    @Test(
        "LinkedIn and Slack refuse a code verifier",
        arguments: [
            ("linkedin", "/oauth/v2/accessToken", "invalid_client"),
            ("slack", "/api/openid.connect.token", "internal_error"),
        ])
    func verifiers(id: String, path: String, error: String) async throws {
        try await SandboxClient.withSandbox { client in
            let code = try await Self.issue(client, id)["code"]?.string ?? ""
            let refused = try await Self.redeem(client, at: path, id, code: code, [("code_verifier", "v")])
            #expect(refused.json?["error"]?.string == error)
            #expect(try await Self.redeem(client, at: path, id, code: code).json?["access_token"] != nil)
        }
    }

    @Test("Twitch sends an address only if the parameter claims requests it")
    func claims() async throws {
        try await SandboxClient.withSandbox { client in
            for (further, hasAddress) in [([], false), ([("claims", "{}")], true)] {
                let reply = try await Self.decide(
                    client, at: "/oauth2/authorize", "twitch",
                    [("scope", "openid user:read:email"), ("nonce", "no")] + further)
                let code = try #require(reply[field: "location"]?.split(separator: "code=").last.map(String.init))
                let tokens = try await Self.redeem(client, at: "/oauth2/token", "twitch", code: code)
                let token = tokens.json?["access_token"]?.string ?? ""
                let user = try await client.get(
                    client.addresses.providers + "/twitch/oauth2/userinfo", header: ["Authorization: Bearer \(token)"])
                #expect((user.json?["email"] != nil) == hasAddress)
                #expect(tokens.json?["scope"]?.array?.count == 2)
            }
        }
    }

    @Test("A token of one provider opens nothing at another")
    func otherProvider() async throws {
        try await SandboxClient.withSandbox { client in
            let token = try await Self.issue(client, "spotify")["access_token"]?.string ?? ""
            let header = ["Authorization: Bearer \(token)"]
            #expect(try await client.get(client.addresses.providers + "/spotify/v1/me", header: header).status == 200)
            #expect(try await client.get(client.addresses.providers + "/github.com/user", header: header).status == 401)
        }
    }

    @Test("A client secret of Apple must be signed")
    func signedSecret() async throws {
        try await SandboxClient.withSandbox { client in
            let code = try await Self.issue(client, "apple.com")["code"]?.string ?? ""
            let reply = try await Self.redeem(client, at: "/auth/token", "apple.com", code: code)
            #expect(reply.json?["error"]?.string == "invalid_client")
        }
    }
}
