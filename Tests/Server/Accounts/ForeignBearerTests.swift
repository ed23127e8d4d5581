import Flows
import Foundation
import JOSE
import Jansson
import Support
import Testing
import Transport

/// Tokens for other purposes, and bearer tokens of other tenants.
@Suite("Other tokens as authenticator", .serialized, .timeLimit(.minutes(5)))
struct ForeignBearerTests {
    @Test("LK-02: the unsigned tokens of the emulator are refused, whatever the environment says")
    func emulator() async throws {
        unsafe setenv("FIREBASE_AUTH_EMULATOR_HOST", "127.0.0.1:9099", 1)
        defer { unsafe unsetenv("FIREBASE_AUTH_EMULATOR_HOST") }
        try await TestServer.open { server in
            let order: JSON = ["key": "none", "header": ["typ": "JWT"], "header_remove": ["kid"]]
            let person = try await server.person(TestServer.alice, order)
            #expect(person.idToken.hasSuffix("."))
            try expectRefusal(try await person.ask("GET", "/v1/account"), "id_token_invalid")
        }
    }

    @Test("LK-03: a custom token of this server is refused, and the response says what to send")
    func customToken() async throws {
        try await TestServer.open { server in
            let token = try await server.exchange(try await server.codeBody()).json?["custom_token"]?.string ?? ""
            let response = try await Person(server: server, uid: "", idToken: token).ask("GET", "/v1/account")
            try expectRefusal(response, "id_token_invalid")
            #expect(response?.text.contains("custom token") ?? false)
        }
    }

    @Test("LK-03: a custom token of the library of before 2016 is not recommended for a sign-in, which would fail")
    func legacyCustomToken() async throws {
        try await TestServer.open { server in
            let claims = #"{"admin":false,"debug":false,"d":{"uid":"k7bcosGCU8cKHNbxhnV3"},"v":0,"iat":1471699724}"#
            let header = Base64URL.encode(Array(#"{"typ":"JWT","alg":"HS256"}"#.utf8))
            let token = "\(header).\(Base64URL.encode(Array(claims.utf8))).v555te35unXXXvh1cL7mbdstylOhmclQtHpzHDiXXX0"
            let response = try await Person(server: server, uid: "", idToken: token).ask("GET", "/v1/account")
            try expectRefusal(response, "id_token_invalid")
            #expect(response?.json?["error_description"]?.string?.contains("which Firebase no longer accepts") == true)
            #expect(server.log.lines.contains { $0.contains("the token is a custom token in the format before 2016") })
        }
    }

    @Test("LK-03: a session cookie is refused, and the response says what to send")
    func sessionCookie() async throws {
        try await TestServer.open { server in
            let person = try await server.person(
                TestServer.alice, ["set": ["iss": "https://session.firebase.google.com/sandbox"]])
            let response = try await person.ask("GET", "/v1/account")
            try expectRefusal(response, "id_token_invalid")
            #expect(response?.text.contains("session cookie") ?? false)
        }
    }

    @Test(
        "What an application sends by mistake in place of a token is named",
        arguments: [
            ("undefined", "The token is what a program writes for a missing value, such as undefined or null."),
            ("null", "The token is what a program writes for a missing value, such as undefined or null."),
            ("[object Promise]", "The token is what a program writes for a missing value, such as undefined or null."),
            ("Bearer eyJ.e30.AA", "The token itself begins with the word Bearer."),
            ("\"eyJ.e30.AA\"", "The token stands in quotation marks."),
            ("eyJ.e30.AA", "This is not a current Firebase ID token of this project."),
        ])
    func mistakes(token: String, description: String) async throws {
        try await TestServer.open { server in
            let person = Person(server: server, uid: "u1", idToken: token)
            let response = try await person.ask("GET", "/v1/account")
            try expectRefusal(response, "id_token_invalid")
            #expect(response?.json?["error_description"]?.string?.hasPrefix(description) == true)
        }
    }

    @Test("LK-03: an ID token of Google's or of Yahoo's is refused")
    func otherIssuers() async throws {
        try await TestServer.open { server in
            let google = try await server.person(
                TestServer.alice,
                ["set": ["iss": "https://accounts.google.com", "aud": "client.apps.googleusercontent.com"]])
            let yahoo = Person(
                server: server, uid: "", idToken: try await server.standIns.yahoo(nonce: "n").idToken)
            let appCheck = Person(server: server, uid: "", idToken: try await server.standIns.appCheckToken())
            for person in [google, yahoo, appCheck] {
                try expectRefusal(try await person.ask("GET", "/v1/account"), "id_token_invalid")
            }
        }
    }

    @Test("LK-16: of a deployment of one tenant, only its own users are heard")
    func tenant() async throws {
        try await TestServer.open(.with { $0.rules.tenantID = "tenant-1" }) { server in
            let own = try await server.person("u1", ["tenant_id": "tenant-1"])
            #expect(try await own.account()?["uid"] == "u1")
            for order in [[:], ["tenant_id": "tenant-2"], ["tenant_id": "Tenant-1"], ["tenant_id": ""]] as [JSON] {
                let other = try await server.person("u1", order)
                try expectRefusal(try await other.ask("GET", "/v1/account"), "id_token_invalid")
                try expectRefusal(try await other.link(try await server.codeBody()), "id_token_invalid")
            }
        }
    }

    @Test("LK-16: the users of a client are in its tenant, and no other client serves them")
    func tenantOfClient() async throws {
        try await TestServer.open(.with { $0.tenantID = "tenant-1" }) { server in
            let ours = try await server.person("u1")
            let theirs = try await server.person("u2", ["tenant_id": "tenant-1"])
            for (person, own, other) in [(ours, "my-app", "x-only"), (theirs, "x-only", "my-app")] {
                #expect(try await person.ask("GET", "/v1/account?client_id=\(own)")?.status == 200)
                for method in ["GET", "DELETE"] {
                    try expectRefusal(
                        try await person.ask(method, "/v1/account?client_id=\(other)"), "id_token_invalid")
                }
                for (path, body) in [
                    ("link", try await server.xCodeBody()), ("reauthenticate", try await server.xCodeBody()),
                    ("unlink", ["provider": "twitter.com"]), ("signout", [:]),
                    ("merge", ["from_id_token": .string(theirs.idToken)]),
                ] as [(String, JSON)] {
                    try expectRefusal(
                        try await person.post("/v1/account/\(path)", body.setting("client_id", to: .string(other))),
                        "id_token_invalid")
                }
                #expect(try await person.ask("DELETE", "/v1/account?client_id=\(own)")?.status == 200)
            }
        }
    }

    @Test("LK-16: whose client is not named is one of the deployment's own tenant")
    func noClient() async throws {
        try await TestServer.open(.with { $0.tenantID = "tenant-1" }) { server in
            let theirs = try await server.person("u2", ["tenant_id": "tenant-1"])
            try expectRefusal(try await theirs.ask("GET", "/v1/account"), "id_token_invalid")
            try expectRefusal(try await theirs.ask("DELETE", "/v1/account"), "id_token_invalid")
            try expectRefusal(try await theirs.unlink("yahoo.com"), "id_token_invalid")
            try expectRefusal(try await theirs.post("/v1/account/signout", [:]), "id_token_invalid")
        }
    }

    @Test("LK-18: without Google's keys every token is refused; with cached keys tokens are accepted")
    func keysAreDown() async throws {
        try await TestServer.open { server in
            let person = try await server.person(TestServer.alice)
            let down: JSON = ["status": 500, "body": "down"]
            try await server.standIns.fault("google.id_token_keys", down, times: 100)
            for _ in 0..<2 {
                let response = try await person.ask("POST", "/v1/account/link", body: "[")
                try expectRefusal(response, "directory_unavailable", retry: "same")
            }
            try await server.standIns.order("DELETE", "/faults")
            server.clock.advance(by: .seconds(31))
            #expect(try await person.ask("GET", "/v1/account")?.status == 200)
            try await server.standIns.fault("google.id_token_keys", down, times: 100)
            for hours in [1, 6, 6] {
                server.clock.advance(by: .seconds(hours * 3600))
                let later = try await server.person(TestServer.alice)
                #expect(try await later.ask("GET", "/v1/account")?.status == 200)
                try expectRefusal(
                    try await server.person(TestServer.alice, ["key": "foreign"]).ask("GET", "/v1/account"),
                    "id_token_invalid")
            }
            // A day after their max-age of six hours they are too old to be believed.
            server.clock.advance(by: .seconds(18 * 3600))
            try expectRefusal(
                try await server.person(TestServer.alice).ask("GET", "/v1/account"), "directory_unavailable",
                retry: "same")
        }
    }

    @Test("LK-18: a new key of Google's is fetched when a token names it, and an old one that is gone is no key")
    func rotation() async throws {
        try await TestServer.open { server in
            let before = try await server.person(TestServer.alice)
            #expect(try await before.ask("GET", "/v1/account")?.status == 200)
            try await server.standIns.rotateIDTokenKeys(keepingOld: false)
            server.clock.advance(by: .seconds(31))
            #expect(try await server.person(TestServer.alice).ask("GET", "/v1/account")?.status == 200)
            try expectRefusal(try await before.ask("GET", "/v1/account"), "id_token_invalid")
        }
    }
}
