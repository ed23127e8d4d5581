import Jansson
import SQLiteStores
import Stores
import Testing
import Transport

/// The bearer token is checked before the body is read.
@Suite("Bearers of account calls", .serialized, .timeLimit(.minutes(5)))
struct BearerTests {
    static let posts =
        ["link", "unlink", "reauthenticate", "merge", "signout"].map { "/v1/account/\($0)" } + [
            "/v1/provider-token/revoke"
        ]

    private static let defects: [(String, JSON, String)] = [
        ("it has expired", ["issued_seconds_ago": 3661], "id_token_expired"),
        ("it is of another project", ["project_id": "another"], "id_token_invalid"),
        ("its aud is another project", ["set": ["aud": "another"]], "id_token_invalid"),
        ("its aud is a list", ["set": ["aud": ["sandbox"]]], "id_token_invalid"),
        ("its iss is another", ["set": ["iss": "https://securetoken.google.com/another"]], "id_token_invalid"),
        ("it names no key", ["header_remove": ["kid"]], "id_token_invalid"),
        ("it names a key that nobody publishes", ["header": ["kid": "unknown"]], "id_token_invalid"),
        ("it is signed by nobody", ["key": "none"], "id_token_invalid"),
        ("it is signed with HMAC", ["key": "hs256"], "id_token_invalid"),
        ("it says ES256", ["header": ["alg": "ES256"]], "id_token_invalid"),
        ("it is signed by another key of that name", ["key": "foreign"], "id_token_invalid"),
        ("its sub is empty", ["set": ["sub": ""], "remove": ["user_id"]], "id_token_invalid"),
        (
            "its sub has 129 characters",
            ["set": ["sub": .string(String(repeating: "a", count: 129))], "remove": ["user_id"]], "id_token_invalid"
        ),
        ("it has no sub", ["remove": ["sub", "user_id"]], "id_token_invalid"),
        ("it has no exp", ["remove": ["exp"]], "id_token_invalid"),
        ("it has no auth_time", ["remove": ["auth_time"]], "id_token_invalid"),
        ("its auth_time is to come", ["authenticated_seconds_ago": -61], "id_token_invalid"),
        ("it was issued in the future", ["issued_seconds_ago": -61], "id_token_invalid"),
        ("it says nothing of Firebase", ["remove": ["firebase"]], "id_token_invalid"),
        ("it is of a tenant", ["tenant_id": "tenant-1"], "id_token_invalid"),
    ]

    @Test("LK-01, LK-16: a defect of the bearer token is a 401, whatever the body is", arguments: defects)
    func defect(_ sentence: String, order: JSON, reason: String) async throws {
        try await TestServer.open { server in
            let person = try await server.person(TestServer.alice, order)
            for path in Self.posts {
                // In itself another error: as a body, as a media type.
                try expectRefusal(try await person.ask("POST", path, body: "[", header: []), reason)
            }
            for method in ["GET", "DELETE"] {
                try expectRefusal(try await person.ask(method, "/v1/account?uid=a", header: []), reason)
            }
            #expect(try await server.store.account(uid: "\(TestServer.alice)") == nil)
        }
    }

    @Test(
        "LK-01: a repeated or malformed Authorization field counts as missing",
        arguments: [
            [], ["Authorization: Bearer"], ["Authorization: Bearer "], ["Authorization: Basic dTpw"],
            ["Authorization: Token TOKEN"], ["Authorization: TOKEN"],
            ["Authorization: Bearer TOKEN", "Authorization: Bearer TOKEN"], ["Cookie: Authorization=Bearer TOKEN"],
            ["X-Authorization: Bearer TOKEN"],
        ])
    func missing(header: [String]) async throws {
        try await TestServer.open { server in
            let token = try await server.standIns.idToken(TestServer.alice)
            let fields = header.map { $0.replacing("TOKEN", with: token) }
            for path in Self.posts {
                let response = try await server.raw(
                    TestServer.request("POST \(path) HTTP/1.1", header: fields, body: "["))
                try expectRefusal(response, "id_token_missing")
                #expect(response?[field: "WWW-Authenticate"] == #"Bearer realm="token-exchange""#)
            }
            try expectRefusal(
                try await server.raw(TestServer.request("GET /v1/account HTTP/1.1", header: fields, body: "")),
                "id_token_missing")
        }
    }

    @Test(
        "The log has what stands in place of a bearer token",
        arguments: [
            (["Authorization: Basic dTpw"], "the Authorization field does not begin with Bearer and a blank"),
            (["Authorization: Bearer: a.b.c"], "the Authorization field does not begin with Bearer and a blank"),
            (["Authorization: Bearer"], "the Authorization field has no token"),
            (["Authorization: Bearer a", "Authorization: Bearer a"], "the request has several Authorization fields"),
            ([], "The bearer token is missing."),
        ])
    func inPlace(header: [String], finding: String) async throws {
        try await TestServer.open { server in
            _ = try await server.raw(TestServer.request("GET /v1/account HTTP/1.1", header: header, body: ""))
            #expect(server.log.text.contains("\"finding\": \(finding)"), "\(server.log.text)")
        }
    }

    @Test(
        "LK-01: a bearer that is not a token is invalid",
        arguments: ["a", "a.b.c", "TOKEN.", "TOKEN a", "TOKEN=", "TOKENA", " TOKEN"])
    func malformed(text: String) async throws {
        try await TestServer.open { server in
            let token = try await server.standIns.idToken(TestServer.alice)
            let person = Person(server: server, uid: "", idToken: text.replacing("TOKEN", with: token))
            for path in Self.posts {
                let response = try await person.ask("POST", path, body: "[")
                try expectRefusal(response, "id_token_invalid")
                #expect(
                    response?[field: "WWW-Authenticate"]
                        == #"Bearer realm="token-exchange", error="invalid_token""#)
            }
        }
    }

    @Test("The scheme is Bearer in any case of letters (RFC 9110 §11.1)", arguments: ["Bearer", "bearer", "BEARER"])
    func scheme(name: String) async throws {
        try await TestServer.open { server in
            let token = try await server.standIns.idToken(TestServer.alice)
            let response = try await server.get(
                "/v1/account", header: [HeaderField("Authorization", "\(name) \(token)")])
            #expect(response.status == 200)
            #expect(response.json?["uid"]?.string == TestServer.alice)
        }
    }

    @Test("A token is valid until its end, plus a minute for the difference of clocks")
    func lifetime() async throws {
        try await TestServer.open { server in
            for (seconds, status) in [(3599, 200), (3659, 200), (3660, 401)] as [(Int64, Int)] {
                let person = try await server.person(TestServer.alice, ["issued_seconds_ago": .integer(seconds)])
                #expect(try await person.ask("GET", "/v1/account")?.status == status, "\(seconds)")
            }
        }
    }
}
