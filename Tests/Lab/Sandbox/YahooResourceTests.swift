import Jansson
import Sandbox
import Testing

@Suite("Yahoo's endpoints for tokens")
struct YahooResourceTests {
    private static func accessToken(_ client: SandboxClient, of application: String = "ours") async throws -> String {
        try await client.control(
            "POST", "/issue",
            .object(["provider": .string("yahoo.com"), "application": .string(application), "user": .string("bjorn")])
        )["access_token"]?.string ?? ""
    }

    @Test("Userinfo accepts a token of any application, with GET and with POST", arguments: ["ours", "hostile"])
    func userinfo(application: String) async throws {
        try await SandboxClient.withSandbox { client in
            let url = client.addresses.yahoo + "/openid/v1/userinfo"
            let token = try await Self.accessToken(client, of: application)
            let byGet = try await client.get(url, header: ["Authorization: Bearer \(token)"])
            #expect(byGet.json?["sub"]?.string == SandboxUser.bjorn.yahooSubject)
            #expect(byGet.json?["email"]?.string == "björn@example.com")
            let byPost = try await client.post(url, form: [("access_token", token)])
            #expect(byPost.json == byGet.json)
        }
    }

    @Test("The errors of userinfo are those of RFC 6750 §3.1")
    func userinfoErrors() async throws {
        try await SandboxClient.withSandbox { client in
            let url = client.addresses.yahoo + "/openid/v1/userinfo"
            let absent = try await client.get(url)
            #expect(absent.status == 401)
            #expect(absent[field: "www-authenticate"] == "Bearer realm=\"yahooapis.com\"")
            let unknown = try await client.get(url, header: ["Authorization: Bearer x"])
            #expect(unknown.status == 401)
            #expect(unknown[field: "www-authenticate"]?.contains("error=\"invalid_token\"") == true)
            let twice = try await client.post(url, form: [("access_token", "x")], header: ["Authorization: Bearer x"])
            #expect(twice.status == 400)
            let order: JSON = .object(["provider": .string("yahoo.com"), "scope": .string("email")])
            let narrow = try await client.control("POST", "/issue", order)["access_token"]?.string ?? ""
            let forbidden = try await client.get(url, header: ["Authorization: Bearer \(narrow)"])
            #expect(forbidden.status == 403)
            #expect(forbidden[field: "www-authenticate"]?.contains("error=\"insufficient_scope\"") == true)
            let token = try await Self.accessToken(client)
            try await client.control("POST", "/clock", .object(["offset_seconds": .integer(3600)]))
            #expect(try await client.get(url, header: ["Authorization: Bearer \(token)"]).status == 401)
        }
    }

    @Test("Introspection returns the owner of a token, but only to an authenticated client")
    func introspection() async throws {
        try await SandboxClient.withSandbox { client in
            let url = client.addresses.yahoo + "/oauth2/introspect"
            let basic = SandboxClient.basic(client.ours.clientID, client.ours.clientSecret)
            let token = try await Self.accessToken(client, of: "hostile")
            let known = try await client.post(url, form: [("token", token)], header: [basic])
            #expect(known.json?["active"]?.bool == true)
            #expect(known.json?["client_id"]?.string == client.hostile.clientID)
            #expect(known.json?["sub"]?.string == SandboxUser.bjorn.yahooSubject)
            let unknown = try await client.post(url, form: [("token", "x")], header: [basic])
            #expect(unknown.json == .object(["active": .bool(false)]))
            #expect(try await client.post(url, form: [("token", token)]).status == 400)
            try await client.control("POST", "/clock", .object(["offset_seconds": .integer(3600)]))
            let expired = try await client.post(url, form: [("token", token)], header: [basic])
            #expect(expired.json == .object(["active": .bool(false)]))
        }
    }

    @Test("Revoking a refresh token revokes its access token, and another client cannot revoke it")
    func revocation() async throws {
        try await SandboxClient.withSandbox { client in
            let answer = try await client.redeem(try await client.code()).json
            let bearer = "Authorization: Bearer \(answer?["access_token"]?.string ?? "")"
            for (registration, status) in [(client.hostile, 200), (client.ours, 401)] {
                let reply = try await client.post(
                    client.addresses.yahoo + "/oauth2/revoke",
                    form: [("token", answer?["refresh_token"]?.string ?? "")],
                    header: [SandboxClient.basic(registration.clientID, registration.clientSecret)])
                #expect(reply.status == 200)
                let after = try await client.get(
                    client.addresses.yahoo + "/openid/v1/userinfo", header: [bearer])
                #expect(after.status == status)
            }
        }
    }
}
