import Flows
import Server
import Support
import Testing
import Transport

@Suite("The page of the path /", .serialized, .timeLimit(.minutes(5)))
struct HomePageTests {
    private static func plan(clients: [String]?) -> Plan {
        .with {
            $0.clients = clients
            $0.branding = Branding(
                logo: nil, accentColor: nil, privacyURL: nil, termsURL: nil, supportURL: "https://example.com/help")
        }
    }

    @Test("It says what the server is for, and names no client", arguments: [nil, ["x-only"]])
    func home(clients: [String]?) async throws {
        try await TestServer.open(Self.plan(clients: clients)) { server in
            let page = try await server.get("/")
            #expect(page.status == 200 && page.heading == "Here applications sign you in")
            expectPage(page)
            #expect(page[field: "Content-Security-Policy"]?.contains("form-action 'none'") == true)
            #expect(!page.text.contains("href=") && !page.text.contains("My App") && !page.text.contains("<form"))
            #expect(page.setCookies.isEmpty)
            #expect(try await server.get("/?a=b&a=c").status == 200)
        }
    }

    @Test("If there is one client, it links to the support of that client")
    func support() async throws {
        try await TestServer.open(Self.plan(clients: ["my-app"])) { server in
            let page = try await server.get("/")
            #expect(page.text.contains("href=\"https://example.com/help\""))
        }
    }

    @Test("It has the language of the browser, and only its method and its path")
    func request() async throws {
        try await TestServer.open { server in
            let page = try await server.get("/", header: [HeaderField("Accept-Language", "de")])
            #expect(page.heading == "Hier melden Anwendungen Sie an")
            #expect(try await server.post("/", text: "", type: "application/x-www-form-urlencoded").status == 405)
            try expectRefusal(try await server.get("//"), "not_found")
        }
    }
}
