import Flows
import Jansson
import Stores
import Support
import Testing
import Transport

/// Accounts in Identity Toolkit, for clients of different tenants.
///
/// `x-only` has a tenant, and `my-app` has none.
@Suite("Tenants in Identity Toolkit", .serialized, .timeLimit(.minutes(5)))
struct FirebaseTenantTests {
    private static let plan = Plan.google(.directory) {
        $0.tenantID = "tenant-1"
        $0.emails = .oneAccountEach
    }

    private static func body(_ server: TestServer, client: String, user: String = "alice") async throws -> JSON {
        try await server.xCodeBody(user: user).setting("client_id", to: .string(client))
    }

    @Test("LK-16: one person has an account in each tenant, and a change of one leaves the other alone")
    func separate() async throws {
        try await TestServer.open(Self.plan) { server in
            var uids: [String] = []
            for client in ["my-app", "x-only"] {
                for isNew in [true, false] {
                    let response = try await server.exchange(try await Self.body(server, client: client))
                    #expect(response.json?["is_new_user"] == .bool(isNew), "\(response.text)")
                    uids.append(response.json?["uid"]?.string ?? "")
                }
            }
            // The uid of this server's rule is the same in both tenants.
            #expect(Set(uids).count == 1 && uids[0].hasPrefix("twitter.com:"))
            let ours = try await server.person(uids[0])
            let theirs = try await server.person(uids[0], ["tenant_id": "tenant-1"])
            #expect(try await ours.link(try await server.codeBody()).status == 200)
            let other = try await theirs.ask("GET", "/v1/account?client_id=x-only")
            #expect(other?.json?["identities"]?.array?.count == 1, "\(other?.text ?? "")")
            #expect(try await theirs.ask("DELETE", "/v1/account?client_id=x-only")?.status == 200)
            try expectRefusal(try await theirs.ask("GET", "/v1/account?client_id=x-only"), "account_gone")
            #expect(try await ours.ask("GET", "/v1/account?client_id=my-app")?.status == 200)
            let again = try await server.exchange(try await Self.body(server, client: "my-app"))
            #expect(again.json?["is_new_user"] == false)
        }
    }

    @Test("LK-16: an identity of one tenant is free in another, and neither address nor account conflicts")
    func noConflict() async throws {
        try await TestServer.open(Self.plan) { server in
            let alice = try await server.exchange(try await Self.body(server, client: "my-app"))
            #expect(alice.status == 200, "\(alice.text)")
            try await server.standIns.firebaseUser("native", ["tenant_id": "tenant-1"])
            let native = try await server.person("native", ["tenant_id": "tenant-1"])
            let linked = try await native.post(
                "/v1/account/link", try await Self.body(server, client: "x-only"))
            #expect(linked.status == 200, "\(linked.text)")
            let theirs = try await server.exchange(try await Self.body(server, client: "x-only"))
            #expect(theirs.json?["uid"] == "native" && theirs.json?["is_new_user"] == false, "\(theirs.text)")
            let ours = try await server.exchange(try await Self.body(server, client: "my-app"))
            #expect(ours.json?["uid"] == alice.json?["uid"])
        }
    }

    @Test("LK-16: no account is merged with one of another tenant")
    func noMerge() async throws {
        try await TestServer.open(Self.plan) { server in
            let (one, two) = (
                try await server.exchange(try await Self.body(server, client: "x-only")),
                try await server.exchange(try await Self.body(server, client: "my-app", user: "bjorn"))
            )
            let ours = try await server.person(two.json?["uid"]?.string ?? "")
            let theirs = try await server.person(one.json?["uid"]?.string ?? "", ["tenant_id": "tenant-1"])
            for (person, other, client) in [(ours, theirs, "my-app"), (theirs, ours, "x-only")] {
                try expectRefusal(
                    try await person.post(
                        "/v1/account/merge",
                        ["client_id": .string(client), "from_id_token": .string(other.idToken)]),
                    "id_token_invalid")
            }
        }
    }

    @Test("LK-16: a conflict, a merge and unlinking within a tenant concern its own accounts")
    func changes() async throws {
        try await TestServer.open(Self.plan) { server in
            // The identity also has an account outside the tenant, which must play no part.
            let outside = try await server.exchange(try await Self.body(server, client: "my-app"))
            for uid in ["one", "two"] { try await server.standIns.firebaseUser(uid, ["tenant_id": "tenant-1"]) }
            let (one, two) = (
                try await server.person("one", ["tenant_id": "tenant-1"]),
                try await server.person("two", ["tenant_id": "tenant-1"])
            )
            #expect(
                try await one.post("/v1/account/link", try await Self.body(server, client: "x-only")).status == 200)
            let conflict = try await two.post("/v1/account/link", try await Self.body(server, client: "x-only"))
            try expectRefusal(
                conflict, "credential_already_in_use", further: ["existing_uid", "pending_credential"])
            #expect(conflict.json?["existing_uid"] == "one")
            let merged = try await two.post(
                "/v1/account/merge",
                ["client_id": "x-only", "pending_credential": conflict.json?["pending_credential"] ?? ""])
            #expect(merged.json?["merged_uid"] == "one", "\(merged.text)")
            try expectRefusal(
                try await two.post("/v1/account/unlink", ["client_id": "x-only", "provider": "twitter.com"]),
                "last_identity")
            try await server.standIns.firebaseUser(
                "two", ["tenant_id": "tenant-1", "link": ["providerId": "yahoo.com", "rawId": "OTHER"]])
            let unlinked = try await two.post(
                "/v1/account/unlink", ["client_id": "x-only", "provider": "twitter.com"])
            #expect(unlinked.status == 200, "\(unlinked.text)")
            let again = try await server.exchange(try await Self.body(server, client: "my-app"))
            #expect(again.json?["uid"] == outside.json?["uid"] && again.json?["is_new_user"] == false)
        }
    }
}
