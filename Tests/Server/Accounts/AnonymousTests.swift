import Jansson
import Server
import Support
import Testing
import Transport

@Suite("Anonymous accounts that are linked", .serialized, .timeLimit(.minutes(5)))
struct AnonymousUpgradeTests {
    @Test("AN-05: an anonymous token proves nothing, and unlinks nothing")
    func proof() async throws {
        try await TestServer.open { server in
            let nobody = try await server.anonymous()
            let alice = try await server.atYahoo()
            let asIDToken = Bodies.exchange(
                "yahoo.com",
                [
                    "type": "id_token", "id_token": .string(nobody.idToken),
                    "nonce": .string(try await server.nonce().verifier),
                ])
            let response = try await alice.link(asIDToken)
            #expect(response.status == 400, "\(response.text)")
            #expect(try await server.exchange(asIDToken).status == 400)
            #expect(
                try await server.form(
                    "/token",
                    try await server.subjectToken().changing([
                        "subject_token": nobody.idToken
                    ])
                ).status == 400)
            try expectRefusal(
                try await alice.link(
                    Bodies.exchange("anonymous", ["type": "id_token", "id_token": "a", "nonce": "n"])),
                "unknown_provider")
            try expectRefusal(try await nobody.unlink("yahoo.com"), "no_such_provider")
            try expectRefusal(try await nobody.unlink("anonymous"), "no_such_provider")
            try expectRefusal(
                try await nobody.reauthenticate(try await server.freshCodeBody()), "user_mismatch")
        }
    }

    @Test("AN-07: an anonymous account that is linked keeps its uid and is permanent, without a recent sign-in")
    func upgrade() async throws {
        try await TestServer.open { server in
            let uid = try await server.anonymous().uid
            let nobody = try await server.person(uid, ["authenticated_seconds_ago": 86_400])
            #expect(try await nobody.account()?["anonymous"] == true)
            let response = try await nobody.link(try await server.codeBody())
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json?["account"]?["uid"]?.string == uid)
            #expect(response.json?["account"]?["anonymous"] == false)
            #expect(try await server.exchange(try await server.codeBody()).json?["uid"]?.string == uid)
            // From now on it is an account as any other.
            try expectRefusal(try await nobody.link(try await server.xCodeBody()), "requires_recent_login")
        }
    }

    @Test("AN-07: of two providers that are linked to it at once both are its own; of one identity, one")
    func race() async throws {
        try await TestServer.open { server in
            let nobody = try await server.anonymous()
            let bodies = [try await server.codeBody(), try await server.xCodeBody(), try await server.codeBody()]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for body in bodies { group.addTask { try await nobody.link(body).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [200, 200, 200])
            #expect(try await nobody.providers() == ["twitter.com", "yahoo.com"])
        }
    }
}
