import Jansson
import Server
import Testing
import Transport

@Suite("Audit trail", .serialized, .timeLimit(.minutes(5)))
struct AuditTests {
    /// What a line says beside when and in which request.
    private static func facts(_ line: JSON) -> JSON {
        line.setting("time", to: nil).setting("request_id", to: nil)
    }

    static func expect(
        _ trail: Trail, _ facts: JSON, _ answer: OutboundResponse?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lines = trail.lines
        #expect(lines.map(Self.facts) == [facts], sourceLocation: sourceLocation)
        #expect(lines.first?["time"] == "2023-11-14T22:13:20.000Z", sourceLocation: sourceLocation)
        let id = answer?[field: "X-Request-Id"]
        #expect(id?.utf8.count == 32 && lines.first?["request_id"]?.string == id, sourceLocation: sourceLocation)
        trail.forget()
    }

    @Test("LG-04: a sign-in is one line: who, by which provider and proof, for which client")
    func mint() async throws {
        let trail = Trail()
        try await Street.open(.with { $0.audit = trail.audit }) { street in
            let signedIn = try await street.exchange(try await street.idTokenBody())
            // Making a nonce is nothing that was done to an account.
            Self.expect(
                trail,
                [
                    "audit": "mint", "endpoint": "/v1/exchange", "client": "my-app", "provider": "yahoo.com",
                    "audience_proof": "id_token_aud", "uid": .string(Street.alice),
                ], signedIn)
            var visitor = Visitor(street)
            let redeemed = try await street.redeem(try await visitor.signIn(["provider": "twitter.com"], as: "bjorn"))
            Self.expect(
                trail,
                [
                    "audit": "mint", "endpoint": "/token", "client": "my-app", "provider": "twitter.com",
                    "audience_proof": "authorization_code", "uid": .string(Street.bjornAtX),
                ], redeemed)
            let anonymous = try await street.post("/v1/anonymous", ["client_id": "my-app"])
            Self.expect(
                trail,
                [
                    "audit": "mint", "endpoint": "/v1/anonymous", "client": "my-app",
                    "uid": anonymous.json?["uid"] ?? .null,
                ], anonymous)
            let proven = try await street.person(Street.alice).reauthenticate(try await street.freshCodeBody())
            Self.expect(
                trail,
                [
                    "audit": "mint", "endpoint": "/v1/account/reauthenticate", "client": "my-app",
                    "provider": "yahoo.com", "audience_proof": "authorization_code", "uid": .string(Street.alice),
                ], proven)
        }
    }

    @Test("LG-04: each change of an account is one line")
    func changes() async throws {
        let trail = Trail()
        try await Street.open(.with { $0.audit = trail.audit }) { street in
            let (alice, bjorn) = (try await street.atYahoo(), try await street.atX())
            trail.forget()
            let uid = JSON.string(alice.uid)
            let linked = try await alice.link(try await street.xCodeBody())
            Self.expect(
                trail,
                [
                    "audit": "link", "endpoint": "/v1/account/link", "client": "my-app", "provider": "twitter.com",
                    "audience_proof": "authorization_code", "uid": uid,
                ], linked)
            let unlinked = try await alice.post(
                "/v1/account/unlink", ["client_id": "my-app", "provider": "twitter.com"])
            Self.expect(
                trail,
                [
                    "audit": "unlink", "endpoint": "/v1/account/unlink", "client": "my-app", "provider": "twitter.com",
                    "uid": uid,
                ], unlinked)
            let merged = try await alice.merge("from_id_token", bjorn.idToken)
            Self.expect(
                trail,
                [
                    "audit": "merge", "endpoint": "/v1/account/merge", "client": "my-app", "uid": uid,
                    "merged_uid": .string(bjorn.uid),
                ], merged)
            let signedOut = try await alice.post("/v1/account/signout", ["client_id": "my-app"])
            Self.expect(
                trail,
                ["audit": "sign_out", "endpoint": "/v1/account/signout", "client": "my-app", "uid": uid], signedOut)
            _ = try await alice.ask("GET", "/v1/account")
            #expect(trail.lines.isEmpty, "Reading changes nothing.")
            let deleted = try await alice.ask("DELETE", "/v1/account?client_id=my-app")
            Self.expect(
                trail, ["audit": "delete", "endpoint": "/v1/account", "client": "my-app", "uid": uid], deleted)
        }
    }
}
