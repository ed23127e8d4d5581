import Jansson
import NIOCore
import NIOPosix
import Sandbox
import Testing

@Suite("The attacker's server")
struct HostileServerTests {
    @Test("The attacker's server records all requests with their values until they are removed")
    func record() async throws {
        try await SandboxClient.withSandbox { client in
            let host = client.addresses.hostile
            #expect(try await client.control("GET", "/hostile")["origin"]?.string == host)
            let reply = try await client.post(
                host + "/take?from=%20here", form: [("code", "secret")], header: ["X-A: 1", "X-A: 2"])
            #expect(reply.status == 200)
            #expect(reply.text == "{}")
            #expect(reply[field: "content-type"] == "application/json")

            let report = try await client.control("GET", "/hostile/requests")
            #expect(report["count"]?.integer == 1)
            let request = report["requests"]?.array?.first
            #expect(request?["seq"]?.integer == 1)
            #expect(request?["method"]?.string == "POST")
            #expect(request?["path"]?.string == "/take")
            #expect(request?["query"]?.string == "from=%20here")
            #expect(request?["header"]?["x-a"]?.string == "1, 2")
            #expect(request?["header"]?["host"]?.string == String(host.dropFirst("http://".count)))
            #expect(request?["body"]?.string == "code=secret")

            try await client.control("DELETE", "/hostile/requests")
            let empty = try await client.control("GET", "/hostile/requests")
            #expect(empty == .object(["requests": .array([]), "count": .integer(0), "connections": .integer(0)]))
            _ = try await client.get(host + "/")
            let next = try await client.control("GET", "/hostile/requests")
            #expect(next["requests"]?.array?.map { $0["seq"]?.integer } == [2])
        }
    }

    @Test("A configured response applies to exactly its path, with any method, until it is removed")
    func answers() async throws {
        try await SandboxClient.withSandbox { client in
            let host = client.addresses.hostile
            try await client.control(
                "PUT", "/hostile/answers",
                .object([
                    "path": .string("/jwks"), "status": .integer(307), "body": .string("<p>"),
                    "header": .object([
                        "Location": .string("http://127.0.0.1:1/"), "content-type": .string("text/html"),
                    ]),
                ]))
            for method in ["GET", "POST"] {
                let reply = try await client.send(method, host + "/jwks?x=1", header: [])
                #expect(reply.status == 307)
                #expect(reply[field: "location"] == "http://127.0.0.1:1/")
                #expect(reply[field: "content-type"] == "text/html")
                #expect(reply.text == "<p>")
            }
            #expect(try await client.get(host + "/jwks/").text == "{}")
            try await client.control("DELETE", "/hostile/answers")
            #expect(try await client.get(host + "/jwks").status == 200)
        }
    }

    @Test("Values are cut off after 4 KiB, and a zero byte does not make the report invalid")
    func limits() async throws {
        try await SandboxClient.withSandbox { client in
            _ = try await client.send(
                "POST", client.addresses.hostile + "/", header: ["X-Long: " + String(repeating: "h", count: 5000)],
                body: "\0" + String(repeating: "b", count: 100_000))
            let request = try await client.control("GET", "/hostile/requests")["requests"]?.array?.first
            #expect(request?["header"]?["x-long"]?.string == String(repeating: "h", count: 4096))
            #expect(request?["body"]?.string == "\u{FFFD}" + String(repeating: "b", count: 4095))
        }
    }

    @Test(
        "The last 1,000 requests are kept, and all requests and connections are counted",
        .timeLimit(.minutes(5)))
    func count() async throws {
        try await SandboxClient.withSandbox { client in
            let port = Int(client.addresses.hostile.split(separator: ":").last ?? "") ?? 0
            let count = 1003
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port).get()
            let pipeline = String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: count - 1)
            try await channel.writeAndFlush(ByteBuffer(string: pipeline))
            var arrived: Int64 = 0
            while arrived < count - 1 {
                try await Task.sleep(for: .milliseconds(5))
                arrived = try await client.hostileCount()
            }
            try await channel.close()
            let silent = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port).get()
            _ = try await client.get(client.addresses.hostile + "/last")
            try await silent.close()

            let reply = try await client.get(client.addresses.control + "/hostile/requests")
            let report = try JSON.parse(reply.body, maximumBytes: 1 << 20)
            #expect(report["count"]?.integer == Int64(count))
            #expect(report["connections"]?.integer == 3)
            #expect(report["requests"]?.array?.map { $0["seq"]?.integer } == (4...Int64(count)).map { $0 })
            #expect(report["requests"]?.array?.last?["path"]?.string == "/last")
        }
    }

    @Test(
        "A malformed command for a response is refused",
        arguments: [
            "{\"path\": \"jwks\"}", "{\"path\": \"/a?b\"}", "{\"status\": 200}", "{\"path\": \"/\", \"code\": 1}",
        ])
    func refusals(order: String) async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.send(
                "PUT", client.addresses.control + "/hostile/answers", header: ["Content-Type: application/json"],
                body: order)
            #expect(reply.status == 400)
        }
    }
}

extension SandboxClient {
    fileprivate func hostileCount() async throws -> Int64 {
        let reply = try await get(addresses.control + "/hostile/requests")
        return try JSON.parse(reply.body, maximumBytes: 1 << 20)["count"]?.integer ?? 0
    }
}
