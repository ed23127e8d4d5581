import Jansson
import Sandbox
import Testing

@Suite("Yahoo's token endpoint")
struct YahooTokenTests {
    @Test("A code is redeemed for the members of Yahoo's documentation")
    func redemption() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.redeem(try await client.code())
            #expect(reply.status == 200)
            #expect(reply[field: "cache-control"] == "no-store")
            #expect(reply.json?["access_token"]?.string?.count == 884)
            #expect(reply.json?["token_type"]?.string == "bearer")
            #expect(reply.json?["expires_in"]?.integer == 3600)
            #expect(reply.json?["refresh_token"]?.string?.hasPrefix("AJj.") == true)
            #expect(reply.json?["xoauth_yahoo_guid"]?.string == SandboxUser.alice.yahooSubject)
            #expect(IDToken(reply.json?["id_token"]?.string) != nil)
        }
    }

    @Test("A code is valid once, even if the attempt fails")
    func singleUse() async throws {
        try await SandboxClient.withSandbox { client in
            let code = try await client.code()
            #expect(try await client.redeem(code).status == 200)
            let second = try await client.redeem(code)
            #expect(second.status == 401)
            #expect(second.json?["error"]?.string == "INVALID_GRANT")

            let other = try await client.code()
            let elsewhere = try await client.redeem(other, redirectURI: "http://127.0.0.1/callback")
            #expect(elsewhere.status == 401)
            #expect(elsewhere.json?["error"]?.string == "invalid_grant")
            #expect(try await client.redeem(other).status == 401)
        }
    }

    @Test("Another client cannot redeem a code, which stays valid for its own client")
    func foreignCode() async throws {
        try await SandboxClient.withSandbox { client in
            let code = try await client.code()
            let reply = try await client.redeem(code, as: client.hostile)
            #expect(reply.json?["error"]?.string == "INVALID_GRANT")
            #expect(try await client.redeem(code).status == 200)
        }
    }

    @Test("A code expires by the clock of the stand-ins")
    func age() async throws {
        try await SandboxClient.withSandbox { client in
            let code = try await client.code()
            try await client.control("POST", "/clock", .object(["offset_seconds": .integer(600)]))
            #expect(try await client.redeem(code).json?["error"]?.string == "INVALID_GRANT")
        }
    }

    @Test("A Basic field is accepted only as base64 without spaces or additional padding")
    func basic() async throws {
        try await SandboxClient.withSandbox { client in
            let url = client.addresses.yahoo + "/oauth2/get_token"
            let field = SandboxClient.basic(client.ours.clientID, client.ours.clientSecret)
            let spaced = field.prefix(60) + " " + field.dropFirst(60)
            for (field, status) in [(field, 200), (String(spaced), 401), (field + "=", 401)] {
                let form = [
                    ("grant_type", "authorization_code"), ("code", try await client.code()),
                    ("redirect_uri", "com.example.app:/yahoo"),
                ]
                #expect(try await client.post(url, form: form, header: [field]).status == status)
            }
            let folded = field.prefix(60) + "\r\n " + field.dropFirst(60)
            let reply = try await client.post(url, form: [("grant_type", "refresh_token")], header: [String(folded)])
            #expect((400...401).contains(reply.status))
        }
    }

    @Test(
        "Error codes have Yahoo's mixed spelling",
        arguments: [
            (["grant_type": "authorization_code"], 400, "PARAMETER_ABSENT"), ([:], 400, "PARAMETER_ABSENT"),
            (["grant_type": "password"], 400, "UNSUPPORTED_GRANT_TYPE"),
            (["grant_type": "refresh_token"], 400, "invalid_request"),
            (["grant_type": "refresh_token", "refresh_token": "x"], 400, "INVALID_REFRESH_TOKEN"),
            (["grant_type": "refresh_token", "refresh_token": "AJj.x--"], 401, "invalid_grant"),
            (["client_secret": "x"], 400, "INVALID_PARAM"),
        ])
    func errors(form: [String: String], status: Int, error: String) async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.token(form.map { ($0.key, $0.value) })
            #expect(reply.status == status)
            #expect(reply.json?["error"]?.string == error)
        }
    }

    @Test("An unknown client and a wrong secret have different errors")
    func clients() async throws {
        try await SandboxClient.withSandbox { client in
            let url = client.addresses.yahoo + "/oauth2/get_token"
            let grant = [("grant_type", "refresh_token")]
            let unknown = try await client.post(url, form: grant, header: [SandboxClient.basic("x", "x")])
            #expect(unknown.status == 400)
            #expect(unknown.json?["error"]?.string == "INVALID_CLIENT")
            let wrong = try await client.post(
                url, form: grant, header: [SandboxClient.basic(client.ours.clientID, "x")])
            #expect(wrong.status == 401)
            #expect(wrong.json?["error"]?.string == "INVALID_CLIENT_SECRET")
            #expect(try await client.get(url).json?["error"]?.string == "ERROR_HANDLING_REQUEST")
        }
    }

    @Test("A client that authenticates twice, and a parameter in the query, are refused")
    func ambiguity() async throws {
        try await SandboxClient.withSandbox { client in
            let url = client.addresses.yahoo + "/oauth2/get_token"
            let basic = SandboxClient.basic(client.ours.clientID, client.ours.clientSecret)
            let twice = try await client.post(url, form: [("client_secret", client.ours.clientSecret)], header: [basic])
            #expect(twice.json?["error"]?.string == "INVALID_REQUEST")
            let query = try await client.post(url + "?grant_type=refresh_token", form: [("a", "b")], header: [basic])
            #expect(query.json?["error"]?.string == "INVALID_PARAM")
        }
    }

    @Test("Every second refresh returns a new refresh token, and revokes the old one")
    func refresh() async throws {
        try await SandboxClient.withSandbox { client in
            let first = try await client.redeem(try await client.code()).json?["refresh_token"]?.string ?? ""
            func refresh(_ token: String) async throws -> Reply {
                try await client.token([("grant_type", "refresh_token"), ("refresh_token", token)])
            }
            let foreign = try await client.token(
                [("grant_type", "refresh_token"), ("refresh_token", first)], as: client.hostile)
            #expect(foreign.json?["error"]?.string == "invalid_grant")
            #expect(try await refresh(first).json?["refresh_token"] == nil)
            let second = try await refresh(first).json?["refresh_token"]?.string
            #expect(second != nil)
            #expect(try await refresh(first).json?["error"]?.string == "invalid_grant")
        }
    }
}
