import Jansson
import Logging
import Sandbox
import ServiceLifecycle
import Testing

@Suite("Control listener")
struct ControlTests {
    @Test("The log contains the requests after a number, with names and without values")
    func log() async throws {
        try await SandboxClient.withSandbox { client in
            _ = try await client.get(client.addresses.yahoo + "/openid/v1/certs")
            let before = try await client.control("GET", "/requests")["last"]?.integer ?? -1
            _ = try await client.token([("grant_type", "refresh_token"), ("refresh_token", "AJj.hush--")])
            _ = try await client.get(
                client.addresses.x + "/2/users/me?user.fields=hush", header: ["Authorization: Bearer hush"])
            let log = try await client.control("GET", "/requests?since=\(before)")
            let requests = log["requests"]?.array ?? []
            #expect(requests.map { $0["endpoint"]?.string } == ["yahoo.token", "x.users_me"])
            #expect(requests.map { $0["status"]?.integer } == [401, 401])
            #expect(requests.last?["authorization"]?.string == "Bearer")
            #expect(
                requests.first?["body_parameters"]?.array?.compactMap(\.string)
                    == ["client_id", "client_secret", "grant_type", "refresh_token"])
            #expect(log["counts"]?["yahoo.token"]?.integer == 1)
            #expect(!String(decoding: log.serialized(), as: UTF8.self).contains("hush"))
            try await client.control("DELETE", "/requests")
            #expect(try await client.control("GET", "/requests")["requests"]?.array == [])
        }
    }

    @Test("A fault with a status replaces the response as often as configured, and no code is spent")
    func status() async throws {
        try await SandboxClient.withSandbox { client in
            let code = try await client.code()
            try await client.control(
                "PUT", "/faults",
                .object([
                    "target": .string("yahoo.token"), "status": .integer(503), "body": .string("no"),
                    "body_repeat": .integer(3), "header": .object(["Retry-After": .string("7")]),
                    "times": .integer(2),
                ]))
            for _ in 0..<2 {
                let reply = try await client.redeem(code)
                #expect(reply.status == 503)
                #expect(reply.text == "nonono")
                #expect(reply[field: "retry-after"] == "7")
            }
            #expect(try await client.redeem(code).status == 200)
        }
    }

    @Test("A fault with a status may redirect", arguments: [301, 302, 303, 307, 308])
    func redirection(status: Int64) async throws {
        try await SandboxClient.withSandbox { client in
            let code = try await client.code()
            try await client.control(
                "PUT", "/faults",
                .object([
                    "target": .string("yahoo.token"), "status": .integer(status),
                    "header": .object(["Location": .string("http://127.0.0.1:1/")]),
                ]))
            let reply = try await client.redeem(code)
            #expect(reply.status == Int(status))
            #expect(reply[field: "location"] == "http://127.0.0.1:1/")
            #expect(reply.body.isEmpty)
        }
    }

    @Test(
        "A fault with a body replaces the response of X, also without a token",
        arguments: [
            ("x.users_me", "/2/users/me", "{\"data\":{\"id\":{}}}"),
            ("x.verify_credentials", "/1.1/account/verify_credentials.json", "{\"id_str\":1,\"id_str\":2}"),
        ])
    func body(target: String, path: String, body: String) async throws {
        try await SandboxClient.withSandbox { client in
            try await client.control(
                "PUT", "/faults", .object(["target": .string(target), "body": .string(body)]))
            let reply = try await client.get(client.addresses.x + path)
            #expect(reply.status == 200)
            #expect(reply.text == body)
        }
    }

    @Test("A fault replaces the user in X's response by setting data")
    func data() async throws {
        try await SandboxClient.withSandbox { client in
            let issued = try await client.control(
                "POST", "/issue",
                .object([
                    "provider": .string("twitter.com"), "protocol": .string("oauth2"),
                    "code_challenge": .string(String(repeating: "c", count: 43)),
                ]))
            let data = JSON.object(["id": .string("1"), "name": .string("n"), "username": .string("u")])
            try await client.control(
                "PUT", "/faults", .object(["target": .string("x.users_me"), "set": .object(["data": data])]))
            let reply = try await client.get(
                client.addresses.x + "/2/users/me",
                header: ["Authorization: Bearer \(issued["access_token"]?.string ?? "")"])
            #expect(reply.json == .object(["data": data]))
        }
    }

    @Test("A fault may change members of the correct response, until it is removed")
    func members() async throws {
        try await SandboxClient.withSandbox { client in
            try await client.control(
                "PUT", "/faults",
                .object([
                    "target": .string("yahoo.token"), "remove": .array([.string("token_type")]),
                    "set": .object(["expires_in": .integer(-1)]),
                ]))
            let spoiled = try await client.redeem(try await client.code()).json
            #expect(spoiled?["token_type"] == nil)
            #expect(spoiled?["expires_in"]?.integer == -1)
            #expect(spoiled?["access_token"]?.string != nil)
            try await client.control("DELETE", "/faults")
            #expect(try await client.redeem(try await client.code()).json?["expires_in"]?.integer == 3600)
        }
    }

    @Test("A fault may truncate a response after the code was spent")
    func cut() async throws {
        try await SandboxClient.withSandbox { client in
            try await client.control(
                "PUT", "/faults",
                .object([
                    "target": .string("yahoo.token"), "cut_after_bytes": .integer(10), "times": .integer(1),
                ]))
            let code = try await client.code()
            let reply = try await client.redeem(code)
            #expect(reply.body.count == 10)
            #expect(Int(reply[field: "content-length"] ?? "") ?? 0 > 900)
            #expect(try await client.redeem(code).status == 401)
        }
    }

    @Test("A fault may drop the connection without a byte, or send bytes slowly")
    func drop() async throws {
        try await SandboxClient.withSandbox { client in
            func order(_ name: String, _ value: JSON) -> JSON {
                .object(["target": .string("yahoo.certs"), name: value, "times": .integer(1)])
            }
            let url = client.addresses.yahoo + "/openid/v1/certs"
            try await client.control("PUT", "/faults", order("drop", .bool(true)))
            await #expect(throws: (any Error).self) { try await client.get(url) }
            try await client.control("PUT", "/faults", order("drip_ms", .integer(0)))
            #expect(try await client.get(url).json?["keys"]?.array?.count == 5)
        }
    }

    @Test(
        "A malformed command is refused, and the message names the error",
        arguments: [
            ("/faults", "{\"target\": \"yahoo.token\", \"stauts\": 503}", "stauts"),
            ("/faults", "{\"target\": \"yahoo\"}", "yahoo.token"), ("/claims", "{\"key\": \"mine\"}", "malleated"),
            ("/google/users", "{\"uid\": \"u1\", \"disabeld\": true}", "disabeld"),
            ("/google/service-accounts", "{\"email\": \"a@b\", \"public_key\": \"PEM\"}", "public_key"),
            ("/claims", "[", "JSON"), ("/applications", "{\"provider\": \"x.com\"}", "twitter.com"),
        ])
    func orders(path: String, order: String, named: String) async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.send(
                "PUT", client.addresses.control + path, header: ["Content-Type: application/json"], body: order)
            #expect(reply.status == 400)
            #expect(reply.json?["error"]?.string?.contains(named) == true)
        }
    }

    @Test("Requests from web pages are refused", arguments: ["Origin: http://evil.example", "Host: evil.example"])
    func browsers(field: String) async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.get(client.addresses.control + "/requests", header: [field])
            #expect(reply.status == 403)
        }
    }

    @Test("Redirect URIs and permissions can be changed, and applications and users can be read")
    func registrations() async throws {
        try await SandboxClient.withSandbox { client in
            let uri = "http://127.0.0.1:9000/callback/yahoo.com"
            #expect(try await client.decide(["redirect_uri": uri]).status == 400)
            try await client.control(
                "PUT", "/applications",
                .object([
                    "provider": .string("yahoo.com"), "redirect_uris": .array([.string(uri)]),
                    "permissions": .array([.string("openid")]),
                ]))
            #expect(try await client.decide(["redirect_uri": uri, "scope": "openid"]).status == 302)
            #expect(try await client.decide(["redirect_uri": uri]).text.contains("INVALID_SCOPE"))
            let ours = try await client.control("GET", "/applications")["ours"]
            #expect(ours?["yahoo.com"]?["redirect_uris"]?.array == [.string(uri)])
            #expect(ours?["twitter.com"]?["consumer_key"]?.string == SandboxApplication.ours.x.consumerKey)
            #expect(try await client.control("GET", "/users").array?.count == SandboxUser.all.count)
        }
    }

    @Test("Every listener has a page that explains it")
    func home() async throws {
        try await SandboxClient.withSandbox { client in
            for address in [
                client.addresses.yahoo, client.addresses.x, client.addresses.google, client.addresses.control,
            ] {
                for (path, status) in [("/", 200), ("/style.css", 200), ("/nothing", 404)] {
                    let reply = try await client.get(address + path)
                    #expect(reply.status == status)
                }
            }
        }
    }

    private struct Announced: Service {
        let sandbox: Sandbox
        let whenReady: AsyncStream<SandboxAddresses>.Continuation

        func run() async throws {
            try await sandbox.run { whenReady.yield($0) }
        }
    }

    @Test("A graceful shutdown ends all listeners")
    func shutdown() async throws {
        var logger = Logger(label: "sandbox")
        logger.logLevel = .critical
        let (ready, whenReady) = AsyncStream.makeStream(of: SandboxAddresses.self)
        let service = Announced(sandbox: Sandbox(logger: logger) { SandboxClient.start }, whenReady: whenReady)
        let group = ServiceGroup(configuration: .init(services: [service], logger: logger))
        async let running: Void = group.run()
        for await addresses in ready {
            let client = SandboxClient(addresses: addresses)
            let before = try await client.get(addresses.control + "/")
            #expect(before.status == 200)
            await group.triggerGracefulShutdown()
            try await running
            for address in [
                addresses.yahoo, addresses.x, addresses.google, addresses.control, addresses.hostile,
            ] {
                await #expect(throws: (any Error).self) { try await client.get(address + "/") }
            }
            break
        }
    }
}
