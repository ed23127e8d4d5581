import Flows
import Jansson
import Support
import Testing
import Transport

/// `firebase.directory: firebase`, over HTTP.
@Suite("Accounts in Identity Toolkit", .serialized, .timeLimit(.minutes(5)))
struct FirebaseDirectoryTests {
    private static func providers(_ user: JSON?) -> [String] {
        (user?["providerUserInfo"]?.array ?? []).compactMap { $0["providerId"]?.string }.sorted()
    }

    @Test("A first sign-in creates a Firebase user with that identity, and later ones find the same user")
    func signIn() async throws {
        try await TestServer.open(.google(.directory)) { server in
            let alice = try await server.atYahoo()
            let user = try await server.standIns.foundFirebaseUser(alice.uid)
            #expect(Self.providers(user) == ["yahoo.com"])
            #expect(user?["displayName"] == "Alice Example")
            let again = try await server.exchange(try await server.codeBody())
            #expect(again.json?["uid"]?.string == alice.uid)
            #expect(again.json?["is_new_user"] == false)
            #expect(try await server.standIns.firebaseUsers().count == 1)
        }
    }

    @Test("Linking, unlinking, merging and deleting happen there as well")
    func changes() async throws {
        try await TestServer.open(.google(.directory)) { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            try expectRefusal(
                try await alice.link(try await server.xCodeBody(user: "bjorn")), "credential_already_in_use",
                further: ["existing_uid", "pending_credential"])
            let merged = try await alice.merge("from_id_token", bjorn.idToken)
            #expect(merged.status == 200, "\(merged.text)")
            #expect(
                Self.providers(try await server.standIns.foundFirebaseUser(alice.uid)) == ["twitter.com", "yahoo.com"])
            #expect(try await server.standIns.foundFirebaseUser(bjorn.uid) == nil)
            try expectRefusal(try await bjorn.ask("GET", "/v1/account"), "account_gone")
            #expect(try await alice.unlink("twitter.com").status == 200)
            #expect(Self.providers(try await server.standIns.foundFirebaseUser(alice.uid)) == ["yahoo.com"])
            try expectRefusal(try await alice.unlink("yahoo.com"), "last_identity")
            #expect(try await alice.link(try await server.xCodeBody()).status == 200)
            let deleted = try await alice.ask("DELETE", "/v1/account")
            #expect(deleted?.json == ["firebase_user": "deleted"], "\(deleted?.text ?? "")")
            #expect(try await server.standIns.firebaseUsers().isEmpty)
        }
    }

    @Test("LK-19: whom an administrator disabled there, no sign-in lets in, and none lets in again")
    func disabled() async throws {
        try await TestServer.open(.google(.directory)) { server in
            let alice = try await server.atYahoo()
            try await server.standIns.firebaseUser(alice.uid, ["disabled": true])
            for _ in 0..<2 {
                try expectRefusal(try await server.exchange(try await server.codeBody()), "user_disabled")
                try expectRefusal(try await alice.reauthenticate(try await server.freshCodeBody()), "user_disabled")
                try expectRefusal(try await alice.link(try await server.xCodeBody()), "user_disabled")
            }
            #expect(try await server.standIns.foundFirebaseUser(alice.uid)?["disabled"] == true)
        }
    }

    @Test("HO-16: a user who is disabled between callback and redemption is not signed in")
    func disabledMeanwhile() async throws {
        try await TestServer.open(.google(.directory)) { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            try await server.standIns.firebaseUser(alice.uid, ["disabled": true])
            try expectNoToken(try await server.redeem(code), "access_denied", "user_disabled")
        }
    }

    @Test("A user with a second factor at Firebase gets no custom token, which would bypass it")
    func secondFactor() async throws {
        try await TestServer.open(.google(.directory)) { server in
            let alice = try await server.atYahoo()
            try await server.standIns.firebaseUser(alice.uid, ["mfa": true])
            try expectRefusal(try await server.exchange(try await server.codeBody()), "second_factor_required")
            try expectRefusal(
                try await alice.reauthenticate(try await server.freshCodeBody()), "second_factor_required")
            var browser = TestBrowser(server)
            try expectNoToken(
                try await server.redeem(try await browser.signIn()), "access_denied", "second_factor_required")
        }
    }

    @Test("Signing out ends the sessions of the user there")
    func signOut() async throws {
        try await TestServer.open(.google(.directory) { $0.rules.checksRevocation = true }) { server in
            let alice = try await server.atYahoo()
            server.clock.advance(by: .seconds(2))
            let response = try await alice.post("/v1/account/signout", ["client_id": "my-app"])
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json == ["sessions_revoked": true, "token_revoked": false])
            try expectRefusal(try await alice.ask("GET", "/v1/account"), "id_token_revoked")
            #expect(try await server.person(alice.uid).ask("GET", "/v1/account")?.status == 200)
        }
    }

    @Test("A link that was made natively is known, and one that was removed is none")
    func native() async throws {
        try await TestServer.open(.google(.directory)) { server in
            let alice = try await server.atYahoo()
            try await server.standIns.firebaseUser(
                alice.uid, ["link": ["providerId": "twitter.com", "rawId": "1580661436132757506"]])
            #expect(try await alice.providers() == ["twitter.com", "yahoo.com"])
            let later = try await server.exchange(try await server.xCodeBody(user: "bjorn"))
            #expect(later.json?["uid"]?.string == alice.uid)
        }
    }

    @Test("If Identity Toolkit does not respond, no sign-in succeeds, and the ID token remains usable")
    func down() async throws {
        try await TestServer.open(.google(.directory)) { server in
            let body = try await server.idTokenBody()
            try await server.standIns.fault("google.lookup", ["status": 503, "body": "{}"], times: 100)
            try expectRefusal(try await server.exchange(body), "directory_unavailable", retry: "same")
            try await server.standIns.order("DELETE", "/faults")
            #expect(try await server.exchange(body).status == 200)
        }
    }
}
