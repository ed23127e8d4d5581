import Jansson
import Sandbox
import Testing

@Suite("X's OAuth 2.0")
struct XOAuth2Tests {
    private static func decide(
        _ client: SandboxClient, _ changes: [String: String?] = [:], decision: String = "allow"
    ) async throws -> Reply {
        var parameters: [String: String] = [
            "response_type": "code", "client_id": SandboxApplication.ours.x.clientID,
            "redirect_uri": "com.example.app:/x", "scope": "users.read tweet.read offline.access", "state": "st",
            "code_challenge": SandboxClient.challenge, "code_challenge_method": "S256",
        ]
        for (name, value) in changes { parameters[name] = value }
        return try await client.post(
            client.addresses.x + "/i/oauth2/authorize/decision",
            form: parameters.map { ($0.key, $0.value) } + [("user", "bjorn"), ("decision", decision)])
    }

    @Test("A code is redeemed for a bearer token that gives access to the profile")
    func flow() async throws {
        try await SandboxClient.withSandbox { client in
            let back = try await Self.decide(client)
            #expect(back.locationParameters["state"] == "st")
            let tokens = try await client.redeemOAuth2(back.locationParameters["code"] ?? "").json
            #expect(tokens?["token_type"]?.string == "bearer")
            #expect(tokens?["expires_in"]?.integer == 7200)
            #expect(tokens?["scope"]?.string == "users.read tweet.read offline.access")
            #expect(tokens?["refresh_token"]?.string != nil)
            let user = try await client.get(
                client.addresses.x + "/2/users/me?user.fields=confirmed_email",
                header: ["Authorization: Bearer \(tokens?["access_token"]?.string ?? "")"]
            ).json?["data"]
            #expect(user?.object?.keys.sorted() == ["id", "name", "username"])
            #expect(user?["id"]?.string == "1580661436132757506")
        }
    }

    @Test(
        "A malformed request gets an error page and is never redirected",
        arguments: [
            ["code_challenge": nil], ["code_challenge_method": "s256"], ["code_challenge": "challenge"],
            ["redirect_uri": "com.example.app:/other"], ["scope": "everything"], ["scope": nil],
            ["state": String(repeating: "s", count: 501)], ["client_id": "x"], ["response_type": "token"],
        ] as [[String: String?]])
    func malformed(changes: [String: String?]) async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await Self.decide(client, changes)
            #expect(reply.status == 400)
            #expect(reply[field: "location"] == nil)
            #expect(reply.text.contains("Something went wrong"))
        }
    }

    @Test("A refusal redirects with access_denied and the state")
    func refusal() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await Self.decide(client, decision: "deny")
            #expect(reply.locationParameters == ["error": "access_denied", "state": "st"])
        }
    }

    @Test("The method plain compares the verifier itself")
    func plain() async throws {
        try await SandboxClient.withSandbox { client in
            let changes = ["code_challenge": "challenge", "code_challenge_method": "plain"]
            let code = try await Self.decide(client, changes).locationParameters["code"] ?? ""
            #expect(try await client.redeemOAuth2(code, ["code_verifier": "challenge"]).status == 200)
        }
    }

    private static let invalidCode = "Value passed for the authorization code was invalid."

    @Test("A code is valid once and for 30 seconds, and is then refused with invalid_request")
    func code() async throws {
        try await SandboxClient.withSandbox { client in
            let code = try await client.oauth2().code
            let late = try await client.oauth2().code
            #expect(try await client.redeemOAuth2(code).status == 200)
            try await client.control("POST", "/clock", .object(["offset_seconds": .integer(30)]))
            for refused in [code, late] {
                let reply = try await client.redeemOAuth2(refused)
                #expect(reply.status == 400)
                #expect(reply.json?["error"]?.string == "invalid_request")
                #expect(reply.json?["error_description"]?.string == Self.invalidCode)
            }
        }
    }

    @Test(
        "A code is bound to redirect URI and verifier",
        arguments: [
            (
                ["redirect_uri": "http://127.0.0.1/callback"],
                "Value passed for the redirect uri did not match the uri of the authorization code."
            ),
            (
                ["code_verifier": SandboxClient.challenge],
                "Value passed for the code verifier did not match the code challenge."
            ),
        ])
    func binding(changes: [String: String], description: String) async throws {
        try await SandboxClient.withSandbox { client in
            let code = try await client.oauth2().code
            let reply = try await client.redeemOAuth2(code, changes)
            #expect(reply.status == 400)
            #expect(reply.json?["error_description"]?.string == description)
            #expect(try await client.redeemOAuth2(code).json?["error_description"]?.string == Self.invalidCode)
        }
    }

    @Test(
        "A confidential client needs Basic; a public one sends its client_id and cannot redeem a code of another client"
    )
    func clients() async throws {
        try await SandboxClient.withSandbox { client in
            let url = client.addresses.x + "/2/oauth2/token"
            let form = [
                ("grant_type", "authorization_code"), ("redirect_uri", "com.example.app:/x"),
                ("code_verifier", SandboxClient.verifier),
            ]
            let code = try await client.oauth2().code
            let ours = SandboxApplication.ours.x
            let hostile = SandboxApplication.hostile.x
            for header in [[], [SandboxClient.basic(ours.clientID, "x")]] {
                let bare = try await client.post(
                    url, form: form + [("code", code), ("client_id", ours.clientID)], header: header)
                #expect(bare.status == 401)
                #expect(bare.json?["error"]?.string == "unauthorized_client")
                #expect(bare.json?["error_description"]?.string == "Missing valid authorization header")
            }
            let foreign = try await client.post(url, form: form + [("code", code), ("client_id", hostile.clientID)])
            #expect(foreign.json?["error_description"]?.string == Self.invalidCode)
            let own = try await client.oauth2(["application": .string("hostile")]).code
            let reply = try await client.post(url, form: form + [("code", own), ("client_id", hostile.clientID)])
            #expect(reply.status == 200)
        }
    }

    @Test("A refresh token is valid once, and revocation ends an access token")
    func refresh() async throws {
        try await SandboxClient.withSandbox { client in
            let issued = try await client.oauth2(["scope": .string("users.read tweet.read offline.access")])
            let tokens = try await client.redeemOAuth2(issued.code).json
            let refresh = [
                "grant_type": "refresh_token", "refresh_token": tokens?["refresh_token"]?.string ?? "",
            ]
            let hostile = ("client_id", SandboxApplication.hostile.x.clientID)
            let foreign = try await client.post(
                client.addresses.x + "/2/oauth2/token", form: refresh.map { ($0.key, $0.value) } + [hostile])
            #expect(foreign.json?["error_description"]?.string == "Value passed for the token was invalid.")
            let access = try await client.redeemOAuth2("", refresh).json?["access_token"]?.string ?? ""
            let again = try await client.redeemOAuth2("", refresh)
            #expect(again.json?["error_description"]?.string == "Value passed for the token was invalid.")
            let revocation = client.addresses.x + "/2/oauth2/revoke"
            _ = try await client.post(revocation, form: [("token", access), hostile])
            for status in [200, 401] {
                let me = try await client.get(
                    client.addresses.x + "/2/users/me", header: ["Authorization: Bearer \(access)"])
                #expect(me.status == status)
                let basic = SandboxClient.basic(SandboxApplication.ours.x)
                _ = try await client.post(revocation, form: [("token", access)], header: [basic])
            }
        }
    }

    @Test(
        "The user's id needs users.read and tweet.read, and the email address users.email",
        arguments: [
            ("users.read", 403, nil), ("tweet.read", 403, nil), ("users.read tweet.read", 200, nil),
            ("users.read tweet.read users.email", 200, "alice@example.com"),
        ])
    func scopes(scope: String, status: Int, email: String?) async throws {
        try await SandboxClient.withSandbox { client in
            // A token of another application works as well: X does not distinguish them here.
            let issued = try await client.oauth2(["scope": .string(scope), "application": .string("hostile")])
            let reply = try await client.get(
                client.addresses.x + "/2/users/me?user.fields=confirmed_email,profile_image_url",
                header: ["Authorization: Bearer \(issued.accessToken)"])
            #expect(reply.status == status)
            #expect(reply.json?["data"]?["confirmed_email"]?.string == email)
        }
    }

    @Test("An unconfirmed address is not returned")
    func unconfirmed() async throws {
        try await SandboxClient.withSandbox { client in
            let issued = try await client.oauth2(["user": .string("carol")])
            let reply = try await client.get(
                client.addresses.x + "/2/users/me?user.fields=confirmed_email",
                header: ["Authorization: Bearer \(issued.accessToken)"])
            #expect(reply.json?["data"]?["id"]?.string == SandboxUser.carol.xID)
            #expect(reply.json?["data"]?["confirmed_email"] == nil)
        }
    }

    @Test("An unknown field is refused in the form of API v2")
    func fields() async throws {
        try await SandboxClient.withSandbox { client in
            let issued = try await client.oauth2()
            let reply = try await client.get(
                client.addresses.x + "/2/users/me?user.fields=secret",
                header: ["Authorization: Bearer \(issued.accessToken)"])
            #expect(reply.status == 400)
            #expect(reply.json?["type"]?.string == "https://api.x.com/2/problems/invalid-request")
        }
    }

    @Test("A parameter that occurs twice is a malformed request")
    func twice() async throws {
        try await SandboxClient.withSandbox { client in
            let ours = SandboxApplication.ours.x
            let query =
                "response_type=code&client_id=\(ours.clientID)&redirect_uri=com.example.app%3A%2Fx&scope=users.read"
                + "&code_challenge=\(SandboxClient.challenge)&code_challenge_method=S256"
            for (further, status) in [("", 200), ("&scope=users.read", 400)] {
                let reply = try await client.get(client.addresses.x + "/i/oauth2/authorize?" + query + further)
                #expect(reply.status == status)
            }
        }
    }

    @Test("An OAuth 1.0a signature is accepted at the same endpoint, and returns the same id")
    func signed() async throws {
        try await SandboxClient.withSandbox { client in
            var request = SandboxClient.Signed()
            request.token = try await client.accessToken()
            let reply = try await client.send("GET", "/2/users/me", request)
            #expect(reply.json?["data"]?["id"]?.string == SandboxUser.alice.xID)
            request.consumer = SandboxApplication.hostile.x
            #expect(try await client.send("GET", "/2/users/me", request).status == 401)
        }
    }
}
