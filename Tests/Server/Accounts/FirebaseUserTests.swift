import Firebase
import Fixtures
import Flows
import JOSE
import Jansson
import SQLiteStores
import Stores
import Support
import Testing
import Transport

@testable import Server

/// The Firebase user of a deleted account with `firebase.directory: local`.
@Suite("Firebase users of accounts that go", .serialized, .timeLimit(.minutes(5)))
struct FirebaseUserTests {
    private static let denied: JSON = [
        "status": 403, "body": #"{"error":{"code":403,"message":"denied","status":"PERMISSION_DENIED"}}"#,
    ]

    /// Makes a user of Yahoo whose custom token was exchanged at Firebase.
    private static func alice(_ server: TestServer) async throws -> Person {
        let alice = try await server.atYahoo()
        try await server.standIns.firebaseUser(alice.uid)
        return alice
    }

    @Test("A user whose sessions are only revoked is kept")
    func sessionsEnded() {
        #expect(AccountMessages.deleted(.sessionsEnded) == ["firebase_user": "kept"])
        #expect(AccountMessages.deleted(.kept) == ["firebase_user": "kept"])
        #expect(AccountMessages.deleted(.none) == ["firebase_user": "none"])
    }

    @Test("Deletion deletes the user, and says so")
    func deleted() async throws {
        try await TestServer.open(.google(.users)) { server in
            let alice = try await Self.alice(server)
            let response = try await alice.ask("DELETE", "/v1/account")
            #expect(response?.status == 200)
            #expect(response?.json == ["firebase_user": "deleted"], "\(response?.text ?? "")")
            #expect(try await server.standIns.firebaseUsers().isEmpty)
            try expectRefusal(try await alice.ask("GET", "/v1/account"), "account_gone")
        }
    }

    @Test("Merging deletes the user of the account that is merged away, and the response says so")
    func merged() async throws {
        try await TestServer.open(.google(.users)) { server in
            let (alice, bjorn) = (try await Self.alice(server), try await server.atX())
            try await server.standIns.firebaseUser(bjorn.uid)
            let response = try await alice.merge("from_id_token", bjorn.idToken)
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json?["firebase_user"] == "deleted" && response.json?["merged_uid"]?.string == bjorn.uid)
            #expect(try await server.standIns.firebaseUsers().map { $0["localId"]?.string } == [alice.uid])
            try expectRefusal(try await bjorn.ask("GET", "/v1/account"), "account_gone")
        }
    }

    @Test(
        "A service account that may not keeps the user, and the call succeeds",
        arguments: ["google.lookup", "google.delete"])
    func kept(endpoint: String) async throws {
        try await TestServer.open(.google(.users)) { server in
            let alice = try await Self.alice(server)
            try await server.standIns.fault(endpoint, Self.denied, times: 100)
            let response = try await alice.ask("DELETE", "/v1/account")
            #expect(response?.json == ["firebase_user": "kept"], "\(response?.text ?? "")")
            #expect(try await server.standIns.firebaseUsers().count == 1)
            try expectRefusal(try await alice.ask("GET", "/v1/account"), "account_gone")
        }
    }

    @Test("If Firebase does not respond, nothing is changed", arguments: ["google.lookup", "google.delete"])
    func unreachable(endpoint: String) async throws {
        try await TestServer.open(.google(.users)) { server in
            let alice = try await Self.alice(server)
            try await server.standIns.fault(endpoint, ["status": 503, "body": "{}"], times: 100)
            try expectRefusal(
                try await alice.ask("DELETE", "/v1/account"), "directory_unavailable", retry: "same")
            try await server.standIns.order("DELETE", "/faults")
            #expect(try await alice.providers() == ["yahoo.com"])
            #expect(try await alice.ask("DELETE", "/v1/account")?.json == ["firebase_user": "deleted"])
        }
    }

    @Test("A user who was deleted in the console has no usable account, but the account can be deleted")
    func deletedInConsole() async throws {
        try await TestServer.open(.google(.users) { $0.rules.checksRevocation = true }) { server in
            let alice = try await server.atYahoo()
            try expectRefusal(try await alice.ask("GET", "/v1/account"), "account_gone")
            try expectRefusal(try await alice.link(try await server.xCodeBody()), "account_gone")
            #expect(try await alice.ask("DELETE", "/v1/account")?.json == ["firebase_user": "none"])
        }
    }

    @Test("LK-05: an old session of an anonymous account that has got a password natively links nothing")
    func upgradedNatively() async throws {
        try await TestServer.open(.google(.users)) { server in
            let uid = try await server.anonymous().uid
            try await server.standIns.firebaseUser(uid, ["valid_since": 1_600_000_000])
            let old: JSON = ["authenticated_seconds_ago": 86_400]
            let before = try await server.person(uid, old)
            try await server.standIns.firebaseUser(uid, ["link": ["providerId": "google.com", "rawId": "1"]])
            // A token of before says nothing of it, and Identity Toolkit does.
            try expectRefusal(try await before.link(try await server.codeBody()), "requires_recent_login")
            let after = try await server.person(uid, old)
            try expectRefusal(try await after.link(try await server.codeBody()), "requires_recent_login")
            #expect(try await server.person(uid).link(try await server.codeBody()).status == 200)
        }
    }

    @Test("The trail says that an address which a sign-in brought is another account's")
    func audited() async throws {
        let trail = Trail()
        let plan = Plan.with {
            $0.audit = trail.audit
            $0.emails = .oneAccountEach
        }
        try await TestServer.open(plan) { server in
            _ = try await server.store.signIn(
                .init(
                    identity: .init(provider: "twitter.com", subject: "2244994945"), details: .init(), email: nil),
                candidates: ["old"], emails: .oneAccountEach, at: server.clock.source.now())
            _ = try await server.atYahoo()
            trail.forget()
            let response = try await server.exchange(try await server.xCodeBody(user: "alice"))
            #expect(response.json?["uid"] == "old", "\(response.text)")
            #expect(trail.lines.first?["email_held_by"] == [.string(TestServer.alice)], "\(trail.text)")
        }
    }
}
