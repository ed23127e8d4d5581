import Firebase
import Fixtures
import Jansson
import Standards
import Stores
import Testing
import Transport

@Suite("Callers at Firebase's directory")
struct DirectoryBearerTests {
    @Test("A native user is adopted with the identities of configured providers; all others are other ways to sign in")
    func adopted() async throws {
        let scene = try Scene()
        scene.toolkit.link(Scene.x, to: "native")
        scene.toolkit.put("native", ["passwordHash": .string("hash")])
        let account = try await scene.account("native")
        #expect(account?.isAdopted == true && account?.hasOtherSignInMethod == true && account?.isAnonymous == false)
        #expect(account?.providers == ["twitter.com"])
        #expect(try await scene.store.account(of: Scene.x)?.uid == "native")
    }

    @Test("An anonymous native user is adopted as anonymous")
    func anonymous() async throws {
        let scene = try Scene()
        scene.toolkit.put("native")
        #expect(try await scene.account("native", isAnonymous: true)?.isAnonymous == true)
    }

    @Test("Links that were added or removed natively are visible")
    func reconciled() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.link(Scene.x, to: "first")
        scene.toolkit.unlink("yahoo.com", from: "first")
        #expect(try await scene.account("first")?.providers == ["twitter.com"])
        #expect(try await scene.store.account(of: Scene.yahoo) == nil)
    }

    @Test("Another identity of the same provider that was linked natively replaces the old one")
    func switchedNatively() async throws {
        let scene = try Scene()
        try await scene.signIn()
        let other = ExternalIdentity(provider: "yahoo.com", subject: "BOB")
        scene.toolkit.link(other, to: "first")
        #expect(try await scene.account("first")?.identities.map(\.identity) == [other])
    }

    @Test("A user who is missing, or whose uid was retired, has no account")
    func retired() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.remove("first")
        #expect(try await scene.account("first") == nil)
        scene.toolkit.put("gone")
        _ = try await scene.store.retire(uid: "gone", at: Scene.now)
        #expect(try await scene.account("gone") == nil)
    }

    @Test("A user who is missing once is not retired")
    func missingForOnce() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.fail("accounts:lookup", .answer(200, "{}"))
        #expect(try await scene.account("first") == nil)
        #expect(try await scene.account("first")?.uid == "first")
    }

    @Test("A disabled user has a disabled account")
    func disabled() async throws {
        let scene = try Scene()
        scene.toolkit.put("native", ["disabled": .bool(true)])
        #expect(try await scene.account("native")?.isDisabled == true)
    }

    @Test("An anonymous account that was upgraded natively is deleted in neither directory")
    func upgradedNatively() async throws {
        let scene = try Scene()
        for uid: UID in ["upgraded", "unseen", "stale"] {
            _ = try await scene.directory.makeAnonymous(candidates: [uid], deleteAfter: Scene.now, at: Scene.now)
            scene.toolkit.put(uid, ["customAuth": .bool(true)])
        }
        scene.toolkit.put("upgraded", ["passwordHash": .string("hash")])
        scene.toolkit.put("unseen", ["passwordHash": .string("hash")])
        #expect(try await scene.account("upgraded")?.isAnonymous == false)
        let stale = try await scene.store.staleAnonymous(at: Scene.now, atMost: 10)
        #expect(Set(stale) == ["stale", "unseen"])
        let users = AnonymousUsers(
            tenants: .separate(own: scene.users, configured: []), local: scene.store, isRequired: true)
        try await users.keepUpgraded(stale, at: Scene.now)
        let swept = try await scene.store.sweepAnonymous(at: Scene.now, atMost: 10)
        #expect(swept == ["stale"])
        // A user may have been upgraded just now.
        #expect(try await users.deleteSwept(swept + ["unseen"], at: Scene.now) == ["unseen"])
        #expect(scene.toolkit.uids == ["unseen", "upgraded"])
        #expect(try await scene.account("unseen")?.isAnonymous == false)
    }

    @Test("The user who has an identity at Firebase is its account, with or without local rows")
    func ofIdentity() async throws {
        let scene = try Scene()
        #expect(try await scene.directory.account(of: Scene.x) == nil)
        scene.toolkit.link(Scene.x, to: "native")
        #expect(try await scene.directory.account(of: Scene.x)?.uid == "native")
    }

    @Test("Deleting an account deletes the Firebase user, and its uid is never given again")
    func retire() async throws {
        let scene = try Scene()
        try await scene.signIn()
        #expect(try await scene.directory.retire(uid: "first", at: Scene.now))
        #expect(scene.toolkit.uids.isEmpty)
        #expect(try await scene.signIn() == .signedIn(uid: "second", isNew: true))
        #expect(try await scene.directory.retire(uid: "nobody", at: Scene.now) == false)
    }

    @Test("An account whose Firebase user could not be deleted is unchanged")
    func retireFails() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.down("accounts:delete")
        await #expect(throws: Toolkit.unreachable) {
            try await scene.directory.retire(uid: "first", at: Scene.now)
        }
        #expect(try await scene.account("first")?.uid == "first")
    }

    @Test(
        "Errors of Identity Toolkit tell the operator the cause",
        arguments: [
            (
                Toolkit.Fault.answer(401, "{}"),
                StoreError.unavailable(
                    .directoryRefused,
                    cause: "Identity Toolkit refuses the access token. "
                        + (IdentityToolkitError.unauthenticated().advice ?? ""))
            ),
            (.answer(403, "{}"), .unavailable(.directoryRefused)),
            (.answer(429, "{}"), StoreError(IdentityToolkitError.busy())),
            (.answer(503, "{}"), StoreError(IdentityToolkitError.unavailable(status: 503))),
            (.answer(200, "<html>"), StoreError(ofLookup: .malformedAnswer)),
            (
                .error(.timedOut(host: "h", requestSent: true)),
                .unavailable(.directoryUnreachable, cause: "h did not answer in time")
            ),
        ])
    func failures(fault: Toolkit.Fault, error: StoreError) async throws {
        let scene = try Scene()
        scene.toolkit.down("accounts:lookup", fault)
        await #expect(throws: error) { try await scene.signIn() }
        #expect(try await scene.store.accounts(after: nil, atMost: 1).isEmpty)
    }

    @Test("A user with an identity at Identity Toolkit or in the token is not anonymous")
    func identified() async throws {
        let scene = try Scene()
        _ = try await scene.directory.makeAnonymous(candidates: ["anon"], deleteAfter: nil, at: Scene.now)
        scene.toolkit.put("anon", ["customAuth": .bool(true)])
        #expect(try await scene.account("anon")?.isAnonymous == true)
        scene.toolkit.put("mail", ["email": .string("ann@example.com"), "customAuth": .bool(true)])
        _ = try await scene.directory.makeAnonymous(candidates: ["mail"], deleteAfter: nil, at: Scene.now)
        #expect(try await scene.account("mail")?.isAnonymous == false)
        #expect(try await scene.store.account(uid: "mail")?.isAnonymous == false, "A sweep here must not take it.")
        let bearer = FirebaseCaller(uid: "anon", isAnonymous: false, email: nil, signInMethods: ["google.com"])
        guard case .account(let account) = try await scene.directory.account(of: bearer, at: Scene.now) else {
            Issue.record("Not an account.")
            return
        }
        #expect(!account.isAnonymous)
    }

    @Test("Finding a user who has no row adopts nothing")
    func finding() async throws {
        let scene = try Scene()
        scene.toolkit.put("native", ["passwordHash": .string("hash")])
        let caller = FirebaseCaller(uid: "native", isAnonymous: false, email: nil)
        guard case .unknown(let account) = try await scene.directory.find(caller, at: Scene.now) else {
            Issue.record("The row was adopted.")
            return
        }
        #expect(account.uid == "native" && !account.isAnonymous)
        #expect(try await scene.store.account(uid: "native") == nil)
    }
}
