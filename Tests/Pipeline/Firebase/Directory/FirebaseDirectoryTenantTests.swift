import Firebase
import Fixtures
import JOSE
import Jansson
import SQLiteStores
import Standards
import Stores
import Testing
import Transport

@Suite("Tenants of Firebase's directory")
struct DirectoryTenantTests {
    /// The users of each tenant, with the empty name for users outside any tenant.
    private let toolkits = ["": Toolkit(), "a": Toolkit(), "b": Toolkit()]
    private let store: SQLiteStore

    init() throws {
        store = try SQLiteStore.inMemory()
    }

    private func users(_ tenantID: String?) -> IdentityToolkit {
        let transport = HTTPTransport { [toolkits] request throws(TransportError) in
            let parts = request.url.split(separator: "/")
            let tenant = parts.firstIndex(of: "tenants").map { String(parts[$0 + 1]) } ?? ""
            guard let toolkit = toolkits[tenant] else {
                return OutboundResponse(status: 400, body: Array(#"{"error":{"message":"TENANT_NOT_FOUND"}}"#.utf8))
            }
            return try await toolkit.transport.send(request)
        }
        return Scene.users(over: transport, tenantID: tenantID)
    }

    private func directory(own: String? = nil) -> FirebaseDirectory {
        FirebaseDirectory(
            users: users(own), local: store, providers: ["yahoo.com", "twitter.com"], syncsProfile: false)
    }

    private func signIn(_ directory: any AccountDirectory, as uid: UID) async throws -> SignInDecision {
        try await directory.signIn(
            IncomingIdentity(
                identity: Scene.yahoo, details: IdentityDetails(email: "ann@example.com"),
                email: EmailAddress("ann@example.com")),
            candidates: [uid], emails: .oneAccountEach, at: Scene.now)
    }

    @Test("One identity with one address has an account in each tenant, even with equal uids")
    func signIns() async throws {
        for tenant in [nil, "a", "b"] {
            let directory = directory().of(tenantID: tenant)
            #expect(try await signIn(directory, as: "same") == .signedIn(uid: "same", isNew: true))
            #expect(try await signIn(directory, as: "later") == .signedIn(uid: "same", isNew: false))
            #expect(toolkits[tenant ?? ""]?.owner(of: Scene.yahoo) == "same")
        }
    }

    @Test("An account of a tenant is not found, linked, merged or deleted by another tenant")
    func isolation() async throws {
        let (a, b) = (directory().of(tenantID: "a"), directory().of(tenantID: "b"))
        _ = try await signIn(a, as: "ann")
        #expect(try await b.account(of: Scene.yahoo) == nil)
        let caller = FirebaseCaller(uid: "ann", isAnonymous: false, email: nil)
        #expect(try await b.account(of: caller, at: Scene.now) == .retired)
        let x = IncomingIdentity(identity: Scene.x, details: IdentityDetails(), email: nil)
        #expect(try await b.link(x, to: "ann", at: Scene.now) == .unknownAccount)
        #expect(try await b.unlink(provider: "yahoo.com", from: "ann", at: Scene.now) == .unknownAccount)
        _ = try await b.signIn(x, candidates: ["bob"], emails: .oneAccountEach, at: Scene.now)
        #expect(try await b.merge("ann", into: "bob", at: Scene.now) == .unknownAccount)
        #expect(try await b.retire(uid: "ann", at: Scene.now) == false)
        #expect(toolkits["a"]?.owner(of: Scene.yahoo) == "ann")
        #expect(try await signIn(a, as: "later") == .signedIn(uid: "ann", isNew: false))
        // Here the same uid is retired in the other tenant.
        #expect(try await signIn(b, as: "free") == .signedIn(uid: "free", isNew: true))
    }

    @Test("The deployment's own tenant keeps the plain rows that it had before other tenants were added")
    func own() async throws {
        let directory = directory(own: "a")
        _ = try await signIn(directory, as: "ann")
        #expect(try await store.account(uid: "ann") != nil)
        #expect(try await signIn(directory.of(tenantID: "a"), as: "later") == .signedIn(uid: "ann", isNew: false))
        _ = try await signIn(directory.of(tenantID: "b"), as: "ann")
        #expect(try await store.account(uid: "//b/ann") != nil)
    }

    @Test("Operators see the accounts of one tenant")
    func operators() async throws {
        let directory = directory()
        for tenant in ["a", "b"] {
            let guest = try await directory.of(tenantID: tenant)
                .makeAnonymous(candidates: ["guest-\(tenant)"], deleteAfter: nil, at: Scene.now)
            #expect(guest == "guest-\(tenant)")
            toolkits[tenant]?.put("user-\(tenant)")
        }
        let a = directory.directory(of: "a")
        #expect(try await a.accounts(after: nil, atMost: 10).accounts.map(\.uid) == ["user-a"])
        let stored = try await store.accounts(after: nil, atMost: 10)
        #expect(try await a.withoutUsers(among: stored).map(\.uid) == ["guest-a"])
        #expect(try await a.account(uid: "guest-b") == nil)
        #expect(try await a.account(uid: "user-b") == nil)
        #expect(try await a.setDisabled(true, uid: "guest-b") == false)
    }

    @Test("A sweep asks each tenant for its own users, and one that is gone at Google stops no other")
    func sweep() async throws {
        for tenant in [nil, "a", "b", "gone"] {
            let directory = directory().of(tenantID: tenant)
            for uid: UID in ["stale", "upgraded"] {
                _ = try await directory.makeAnonymous(candidates: [uid], deleteAfter: Scene.now, at: Scene.now)
                toolkits[tenant ?? ""]?.put(uid, ["customAuth": .bool(true)])
            }
        }
        toolkits["a"]?.put("upgraded", ["passwordHash": .string("hash")])
        let users = AnonymousUsers(
            tenants: .separate(own: users(nil), configured: [nil, "a", "b"]), local: store, isRequired: true)
        let stale = try await store.staleAnonymous(at: Scene.now, atMost: 100)
        #expect(stale.count == 8)
        try await users.keepUpgraded(stale, at: Scene.now)
        let swept = try await store.sweepAnonymous(stale, at: Scene.now)
        #expect(Set(stale).subtracting(swept) == ["//a/upgraded"])
        toolkits["b"]?.put("upgraded", ["passwordHash": .string("hash")])
        #expect(try await users.deleteSwept(swept, at: Scene.now) == ["//b/upgraded"])
        #expect(toolkits[""]?.uids == [])
        #expect(toolkits["a"]?.uids == ["upgraded"] && toolkits["b"]?.uids == ["upgraded"])
    }

    @Test("A tenant of a client that Google does not know stops the sweep, because the configuration is wrong")
    func unknownTenant() async throws {
        _ = try await directory().of(tenantID: "gone")
            .makeAnonymous(candidates: ["guest"], deleteAfter: Scene.now, at: Scene.now)
        let users = AnonymousUsers(
            tenants: .separate(own: users(nil), configured: ["gone"]), local: store, isRequired: true)
        await #expect(throws: StoreError(IdentityToolkitError.notConfigured(code: "TENANT_NOT_FOUND"))) {
            try await users.keepUpgraded(["//gone/guest"], at: Scene.now)
        }
        await #expect(throws: IdentityToolkitError.notConfigured(code: "TENANT_NOT_FOUND")) {
            try await users.deleteSwept(["//gone/guest"], at: Scene.now)
        }
    }
}
