import Sandbox
import Testing

@Suite("Documentation site")
struct DocumentationSiteTests {
    private static let site = DocumentationSite(
        files: [
            "documentation/guide/index.html": Array("<h1>Guide</h1>".utf8), "js/main.js": Array("run()".utf8),
        ], start: "documentation/guide")

    private static func reply(
        _ path: String, method: String = "GET", header: [String] = [],
        to check: @escaping @Sendable (Reply) throws -> Void
    ) async throws {
        try await SandboxClient.withSandbox(documentation: site) { client in
            try check(try await client.send(method, client.addresses.control + path, header: header))
        }
    }

    @Test("The root leads to the first page", arguments: ["/docs", "/docs/"])
    func root(path: String) async throws {
        try await Self.reply(path) { reply in
            #expect(reply.status == 303)
            #expect(reply[field: "location"] == "/docs/documentation/guide")
        }
    }

    @Test("A page is the index of its folder", arguments: ["/docs/documentation/guide", "/docs/documentation/guide/"])
    func page(path: String) async throws {
        try await Self.reply(path) { reply in
            #expect(reply.status == 200)
            #expect(reply[field: "content-type"] == "text/html; charset=utf-8")
            #expect(reply[field: "content-security-policy"]?.hasPrefix("default-src 'self'") == true)
            #expect(reply.text == "<h1>Guide</h1>")
        }
    }

    @Test("A resource has the media type of its name")
    func resource() async throws {
        try await Self.reply("/docs/js/main.js") { reply in
            #expect(reply[field: "content-type"] == "text/javascript; charset=utf-8")
            #expect(reply.text == "run()")
        }
    }

    @Test(
        "Other paths are not found, and none reaches the file system",
        arguments: ["/docs/nothing", "/docs/../js/main.js", "/docs/documentation", "/docs//etc/passwd"])
    func unknown(path: String) async throws {
        try await Self.reply(path) { #expect($0.status == 404) }
    }

    @Test("A path that only begins like the root is not part of the site")
    func prefix() async throws {
        try await Self.reply("/docs.html") { reply in
            #expect(reply.status == 404)
            #expect(reply[field: "content-type"] == "application/json")
        }
    }

    @Test("Other methods are refused")
    func method() async throws {
        try await Self.reply("/docs", method: "DELETE") { #expect($0.status == 405) }
    }

    @Test("A host name that resolves to this machine by DNS rebinding is refused")
    func rebinding() async throws {
        try await Self.reply("/docs", header: ["Host: evil.example"]) { #expect($0.status == 403) }
    }

    @Test("Without a site there is none")
    func without() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.get(client.addresses.control + "/docs")
            #expect(reply.status == 404)
        }
    }
}
