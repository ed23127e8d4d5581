import Flows
import Jansson
import Testing
import Transport

/// `firebase.directory: firebase`, over HTTP.
@Suite("Accounts in Identity Toolkit", .serialized, .timeLimit(.minutes(5)))
struct FirebaseDirectoryTests {
    private static func providers(_ user: JSON?) -> [String] {
        (user?["providerUserInfo"]?.array ?? []).compactMap { $0["providerId"]?.string }.sorted()
    }

    @Test("Who signs in first becomes a Firebase user with that identity, and stays the same one")
    func signIn() async throws {
        try await Street.open(.google(.directory)) { street in
            let alice = try await street.atYahoo()
            let user = try await street.standIns.foundFirebaseUser(alice.uid)
            #expect(Self.providers(user) == ["yahoo.com"])
            #expect(user?["displayName"] == "Alice Example")
            let again = try await street.exchange(try await street.codeBody())
            #expect(again.json?["uid"]?.string == alice.uid)
            #expect(again.json?["is_new_user"] == false)
            #expect(try await street.standIns.firebaseUsers().count == 1)
        }
    }

    @Test("Linking, unlinking, merging and deleting happen there as well")
    func changes() async throws {
        try await Street.open(.google(.directory)) { street in
            let (alice, bjorn) = (try await street.atYahoo(), try await street.atX())
            try expectRefusal(
                try await alice.link(try await street.xCodeBody(user: "bjorn")), "credential_already_in_use",
                further: ["pending_credential"])
            let merged = try await alice.merge("from_id_token", bjorn.idToken)
            #expect(merged.status == 200, "\(merged.text)")
            #expect(
                Self.providers(try await street.standIns.foundFirebaseUser(alice.uid)) == ["twitter.com", "yahoo.com"])
            #expect(try await street.standIns.foundFirebaseUser(bjorn.uid) == nil)
            try expectRefusal(try await bjorn.ask("GET", "/v1/account"), "account_gone")
            #expect(try await alice.unlink("twitter.com").status == 200)
            #expect(Self.providers(try await street.standIns.foundFirebaseUser(alice.uid)) == ["yahoo.com"])
            try expectRefusal(try await alice.unlink("yahoo.com"), "last_identity")
            #expect(try await alice.link(try await street.xCodeBody()).status == 200)
            let deleted = try await alice.ask("DELETE", "/v1/account")
            #expect(deleted?.json == ["firebase_user": "deleted"], "\(deleted?.text ?? "")")
            #expect(try await street.standIns.firebaseUsers().isEmpty)
        }
    }

    @Test("LK-19: whom an administrator disabled there, no sign-in lets in, and none lets in again")
    func disabled() async throws {
        try await Street.open(.google(.directory)) { street in
            let alice = try await street.atYahoo()
            try await street.standIns.firebaseUser(alice.uid, ["disabled": true])
            for _ in 0..<2 {
                try expectRefusal(try await street.exchange(try await street.codeBody()), "user_disabled")
                try expectRefusal(try await alice.reauthenticate(try await street.freshCodeBody()), "user_disabled")
                try expectRefusal(try await alice.link(try await street.xCodeBody()), "user_disabled")
            }
            #expect(try await street.standIns.foundFirebaseUser(alice.uid)?["disabled"] == true)
        }
    }

    @Test("HO-16: whoever is disabled there between callback and redemption is not signed in")
    func disabledMeanwhile() async throws {
        try await Street.open(.google(.directory)) { street in
            let alice = try await street.atYahoo()
            var visitor = Visitor(street)
            let code = try await visitor.signIn()
            try await street.standIns.firebaseUser(alice.uid, ["disabled": true])
            try expectNoToken(try await street.redeem(code), "access_denied", "user_disabled")
        }
    }

    @Test("Whoever has a second factor there gets no custom token, which would pass it by")
    func secondFactor() async throws {
        try await Street.open(.google(.directory)) { street in
            let alice = try await street.atYahoo()
            try await street.standIns.firebaseUser(alice.uid, ["mfa": true])
            try expectRefusal(try await street.exchange(try await street.codeBody()), "second_factor_required")
            try expectRefusal(
                try await alice.reauthenticate(try await street.freshCodeBody()), "second_factor_required")
            var visitor = Visitor(street)
            try expectNoToken(
                try await street.redeem(try await visitor.signIn()), "access_denied", "second_factor_required")
        }
    }

    @Test("Signing out ends the sessions of the user there")
    func signOut() async throws {
        try await Street.open(.google(.directory) { $0.rules.checksRevocation = true }) { street in
            let alice = try await street.atYahoo()
            street.clock.advance(by: .seconds(2))
            let answer = try await alice.post("/v1/account/signout", ["client_id": "my-app"])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json == ["sessions_revoked": true, "token_revoked": false])
            try expectRefusal(try await alice.ask("GET", "/v1/account"), "id_token_revoked")
            #expect(try await street.person(alice.uid).ask("GET", "/v1/account")?.status == 200)
        }
    }

    @Test("A link that was made natively is known, and one that was removed is none")
    func native() async throws {
        try await Street.open(.google(.directory)) { street in
            let alice = try await street.atYahoo()
            try await street.standIns.firebaseUser(
                alice.uid, ["link": ["providerId": "twitter.com", "rawId": "1580661436132757506"]])
            #expect(try await alice.providers() == ["twitter.com", "yahoo.com"])
            let later = try await street.exchange(try await street.xCodeBody(user: "bjorn"))
            #expect(later.json?["uid"]?.string == alice.uid)
        }
    }

    @Test("Where Identity Toolkit does not answer, nobody signs in, and the ID token is as good as before")
    func down() async throws {
        try await Street.open(.google(.directory)) { street in
            let body = try await street.idTokenBody()
            try await street.standIns.fault("google.lookup", ["status": 503, "body": "{}"], times: 100)
            try expectRefusal(try await street.exchange(body), "directory_unavailable", retry: "same")
            try await street.standIns.order("DELETE", "/faults")
            #expect(try await street.exchange(body).status == 200)
        }
    }
}
