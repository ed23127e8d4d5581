import Jansson
import Sandbox
import Testing

@Suite("X's OAuth 1.0a")
struct XOAuth1Tests {
    @Test("Three steps return the user's id, in form-encoded bodies with the media type of HTML")
    func flow() async throws {
        try await SandboxClient.withSandbox { client in
            var first = SandboxClient.Signed()
            first.further = [("oauth_callback", "com.example.app:/x")]
            let answer = try await client.send("POST", "/oauth/request_token", first)
            #expect(answer.status == 200)
            #expect(answer[field: "content-type"]?.hasPrefix("text/html") == true)
            #expect(answer.parameters["oauth_callback_confirmed"] == "true")

            let name = answer.parameters["oauth_token"] ?? ""
            let back = try await client.decideOAuth1(name)
            #expect(back.status == 302)
            #expect(back.locationParameters["oauth_token"] == name)

            var last = SandboxClient.Signed()
            last.token = (name, answer.parameters["oauth_token_secret"] ?? "")
            last.parameters = [("oauth_verifier", back.locationParameters["oauth_verifier"] ?? "")]
            let tokens = try await client.send("POST", "/oauth/access_token", last)
            #expect(tokens[field: "content-type"]?.hasPrefix("text/html") == true)
            #expect(tokens.parameters["user_id"] == SandboxUser.alice.xID)
            #expect(tokens.parameters["screen_name"]?.isEmpty == false)

            last.nonce += "x"
            #expect(try await client.send("POST", "/oauth/access_token", last).xCode == 89)

            var verify = SandboxClient.Signed()
            verify.token = (tokens.parameters["oauth_token"] ?? "", tokens.parameters["oauth_token_secret"] ?? "")
            let user = try await client.send("GET", "/1.1/account/verify_credentials.json", verify)
            #expect(user.json?["id_str"]?.string == SandboxUser.alice.xID)
            #expect(user.json?["email"] == nil)
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let spoil: @Sendable (inout SandboxClient.Signed) -> Void
        let status: Int
        let code: Int64
    }

    @Test(
        "A request with a wrong signature, token, time or parameter is refused",
        arguments: [
            Fault(testDescription: "method", spoil: { $0.signedMethod = "PUT" }, status: 401, code: 32),
            Fault(testDescription: "token secret", spoil: { $0.token?.secret = "x" }, status: 401, code: 32),
            Fault(testDescription: "unknown token", spoil: { $0.token?.name = "x" }, status: 401, code: 89),
            Fault(testDescription: "no token", spoil: { $0.token = nil }, status: 401, code: 89),
            Fault(
                testDescription: "O1-01: token of another consumer",
                spoil: { $0.consumer = SandboxApplication.hostile.x }, status: 401, code: 89),
            Fault(testDescription: "late", spoil: { $0.timestamp += 301 }, status: 401, code: 135),
            Fault(testDescription: "early", spoil: { $0.timestamp -= 301 }, status: 401, code: 135),
            Fault(testDescription: "nonce not ASCII", spoil: { $0.nonce = "é" }, status: 400, code: 215),
            Fault(
                testDescription: "parameter twice", spoil: { $0.parameters = [("a", "1"), ("a", "2")] }, status: 400,
                code: 215),
        ])
    func refusals(fault: Fault) async throws {
        try await SandboxClient.withSandbox { client in
            var request = SandboxClient.Signed()
            request.token = try await client.accessToken()
            request.timestamp += 300
            #expect(try await client.send("GET", "/1.1/account/verify_credentials.json", request).status == 200)
            request.nonce += "x"
            request.timestamp = SandboxClient.start
            fault.spoil(&request)
            let reply = try await client.send("GET", "/1.1/account/verify_credentials.json", request)
            #expect(reply.status == fault.status)
            #expect(reply.xCode == fault.code)
        }
    }

    @Test("A nonce is valid once, and an unsigned request is refused")
    func nonce() async throws {
        try await SandboxClient.withSandbox { client in
            var request = SandboxClient.Signed()
            request.token = try await client.accessToken()
            #expect(try await client.send("GET", "/1.1/account/verify_credentials.json", request).status == 200)
            #expect(try await client.send("GET", "/1.1/account/verify_credentials.json", request).xCode == 32)
            let unsigned = try await client.get(client.addresses.x + "/1.1/account/verify_credentials.json")
            #expect(unsigned.xCode == 215)
        }
    }

    @Test("A callback that is not registered is refused")
    func callback() async throws {
        try await SandboxClient.withSandbox { client in
            for further in [[("oauth_callback", "com.example.app:/x/")], []] {
                var request = SandboxClient.Signed()
                request.further = further.map { (name: $0.0, value: $0.1) }
                let reply = try await client.send("POST", "/oauth/request_token", request)
                #expect(reply.status == 403)
                #expect(reply.xCode == 415)
            }
        }
    }

    @Test("The requested access must be read or write")
    func accessType() async throws {
        try await SandboxClient.withSandbox { client in
            for (type, status) in [("read", 200), ("all", 400)] {
                var request = SandboxClient.Signed()
                request.further = [("oauth_callback", "oob")]
                request.parameters = [("x_auth_access_type", type)]
                let reply = try await client.send("POST", "/oauth/request_token", request)
                #expect(reply.status == status)
            }
        }
    }

    @Test("A request token expires after ten minutes, with or without consent")
    func age() async throws {
        try await SandboxClient.withSandbox { client in
            var request = SandboxClient.Signed()
            request.token = try await client.requestToken()
            let back = try await client.decideOAuth1(request.token?.name ?? "")
            request.parameters = [("oauth_verifier", back.locationParameters["oauth_verifier"] ?? "")]
            let other = try await client.requestToken().name
            try await client.control("POST", "/clock", .object(["offset_seconds": .integer(600)]))
            request.timestamp += 600
            #expect(try await client.send("POST", "/oauth/access_token", request).xCode == 89)
            #expect(try await client.decideOAuth1(other).status == 400)
        }
    }

    @Test("A wrong or missing verifier is refused in plain text", arguments: ["wrong", nil])
    func verifier(value: String?) async throws {
        try await SandboxClient.withSandbox { client in
            var request = SandboxClient.Signed()
            request.token = try await client.requestToken()
            #expect(try await client.decideOAuth1(request.token?.name ?? "").status == 302)
            request.parameters = value.map { [("oauth_verifier", $0)] } ?? []
            let reply = try await client.send("POST", "/oauth/access_token", request)
            #expect(reply.status == 401)
            #expect(reply[field: "content-type"]?.hasPrefix("text/plain") == true)
        }
    }

    @Test("A refusal returns the request token as denied, and nothing else")
    func denied() async throws {
        try await SandboxClient.withSandbox { client in
            let token = try await client.requestToken().name
            #expect(try await client.decideOAuth1(token, decision: "deny").locationParameters == ["denied": token])
            #expect(try await client.decideOAuth1(token).status == 400)
        }
    }

    @Test("Out of band, the verifier is a PIN of seven digits on a page")
    func pin() async throws {
        try await SandboxClient.withSandbox { client in
            var request = SandboxClient.Signed()
            request.token = try await client.requestToken(callback: "oob")
            let page = try await client.decideOAuth1(request.token?.name ?? "").text
            let pin = page.split { !$0.isNumber }.first { $0.count == 7 }.map(String.init)
            request.parameters = [("oauth_verifier", pin ?? "")]
            #expect(try await client.send("POST", "/oauth/access_token", request).status == 200)
        }
    }

    @Test("After an earlier consent authenticate redirects at once, and authorize and force_login ask again")
    func bouncing() async throws {
        try await SandboxClient.withSandbox { client in
            let allowed = try await client.decideOAuth1(try await client.requestToken().name)
            let stranger = try await client.get(
                "\(client.addresses.x)/oauth/authenticate?oauth_token=\(try await client.requestToken().name)",
                header: ["Cookie: sandbox_x_user=bjorn"])
            #expect(stranger.status == 200)
            let cookie = allowed[field: "set-cookie"]?.split(separator: ";").first ?? ""
            for (path, status) in [
                ("authorize?", 200), ("authenticate?force_login=true&", 200), ("authenticate?", 302),
            ] {
                let token = try await client.requestToken().name
                let url = "\(client.addresses.x)/oauth/\(path)oauth_token=\(token)"
                #expect(try await client.get(url, header: ["Cookie: \(cookie)"]).status == status)
                #expect(try await client.get(url).status == (status == 302 ? 400 : 200))
            }
        }
    }

    @Test("After a reset of the user, and of no other one, authenticate asks again")
    func reset() async throws {
        try await SandboxClient.withSandbox { client in
            _ = try await client.decideOAuth1(try await client.requestToken().name)
            for (user, status) in [("bjorn", 302), ("alice", 200)] {
                let reset = try await client.control("POST", "/users/reset", .object(["user": .string(user)]))
                #expect(reset == .object(["removed": .array([])]))
                let token = try await client.requestToken().name
                let url = "\(client.addresses.x)/oauth/authenticate?oauth_token=\(token)"
                #expect(try await client.get(url, header: ["Cookie: sandbox_x_user=alice"]).status == status)
            }
        }
    }

    @Test(
        "The address is a string or null, and is returned only on request",
        arguments: [("alice", JSON.string("alice@example.com")), ("kobayashi", .null), ("carol", .null)])
    func email(user: String, expected: JSON) async throws {
        try await SandboxClient.withSandbox { client in
            var request = SandboxClient.Signed()
            request.token = try await client.accessToken(user: user)
            request.parameters = [("include_email", "true"), ("skip_status", "true")]
            let reply = try await client.send("GET", "/1.1/account/verify_credentials.json", request)
            #expect(reply.json?["email"] == expected)
            #expect(reply.json?["status"] == nil)
        }
    }

    @Test("An invalidated token is refused with code 89")
    func invalidation() async throws {
        try await SandboxClient.withSandbox { client in
            var request = SandboxClient.Signed()
            request.token = try await client.accessToken()
            let reply = try await client.send("POST", "/1.1/oauth/invalidate_token.json", request)
            #expect(reply.json?["access_token"]?.string == request.token?.name)
            #expect(try await client.send("GET", "/1.1/account/verify_credentials.json", request).xCode == 89)
        }
    }
}
