import Firebase
import Jansson
import Stores
import Testing
import Transport

@Suite("Sign-ins that did not come to their end")
struct DirectoryCrashTests {
    private let unreachable = StoreError.unavailable(.directoryUnreachable)

    @Test("After the uid was reserved, the next sign-in makes the user under it")
    func beforeTheUser() async throws {
        let scene = try Scene()
        scene.toolkit.down("accounts")
        await #expect(throws: unreachable) { try await scene.signIn() }
        #expect(scene.toolkit.uids.isEmpty)
        scene.toolkit.up()
        #expect(try await scene.signIn(candidates: ["other"]) == .signedIn(uid: "first", isNew: true))
        #expect(try await scene.pendingRows().isEmpty)
    }

    @Test("After the user was made, the next sign-in links")
    func beforeTheLink() async throws {
        let scene = try Scene()
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.signIn() }
        #expect(scene.toolkit.uids == ["first"])
        scene.toolkit.up()
        #expect(try await scene.signIn(candidates: ["other"]) == .signedIn(uid: "first", isNew: true))
        #expect(scene.toolkit.uids == ["first"])
        #expect(scene.toolkit.owner(of: Scene.yahoo) == "first")
    }

    @Test("After the link was made, the next sign-in writes its row")
    func beforeTheRow() async throws {
        let scene = try Scene()
        scene.toolkit.before("accounts:update") { $0.down("accounts:lookup") }
        await #expect(throws: unreachable) { try await scene.signIn() }
        #expect(scene.toolkit.owner(of: Scene.yahoo) == "first")
        #expect(try await scene.store.account(of: Scene.yahoo) == nil)
        scene.toolkit.up()
        #expect(try await scene.signIn(candidates: ["other"]) == .signedIn(uid: "first", isNew: false))
        #expect(try await scene.store.account(of: Scene.yahoo)?.uid == "first")
    }

    @Test("A user whose making was not answered is found by the next sign-in")
    func lostAnswer() async throws {
        let scene = try Scene()
        scene.toolkit.fail("accounts", .lost)
        await #expect(throws: StoreError.outcomeUnknown(.directoryUnreachable)) { try await scene.signIn() }
        #expect(try await scene.signIn(candidates: ["other"]) == .signedIn(uid: "first", isNew: true))
        #expect(scene.toolkit.calls.filter { $0 == "accounts" }.count == 1)
    }

    @Test("A pending row beside the row of its link restores nothing that was removed natively")
    func spentIntent() async throws {
        let scene = try Scene()
        try await scene.signIn()
        let pending = ExternalIdentity(provider: "pending:yahoo.com", subject: Scene.yahoo.subject)
        _ = try await scene.store.link(scene.arrival(pending), to: "first", at: Scene.now)
        scene.toolkit.unlink("yahoo.com", from: "first")
        #expect(try await scene.signIn(candidates: ["second"]) == .signedIn(uid: "second", isNew: true))
        #expect(scene.toolkit.providers(of: "first").isEmpty)
    }

    @Test("A uid that a stranger got while it was being reserved stays the stranger's")
    func strangerInBetween() async throws {
        let scene = try Scene()
        scene.toolkit.down("accounts")
        await #expect(throws: unreachable) { try await scene.signIn() }
        scene.toolkit.up()
        scene.toolkit.put("first", ["passwordHash": .string("hash")])
        #expect(try await scene.signIn() == .signedIn(uid: "second", isNew: true))
        #expect(scene.toolkit.providers(of: "first").isEmpty)
        #expect(try await scene.pendingRows().isEmpty)
    }

    @Test("A link that was begun and not made is made by the next sign-in")
    func linkBegun() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.x, to: "first") }
        scene.toolkit.up()
        #expect(try await scene.signIn(Scene.x) == .signedIn(uid: "first", isNew: false))
        #expect(try await scene.account("first")?.providers == ["twitter.com", "yahoo.com"])
    }

    @Test("A link that was begun makes nobody anonymous who has a password")
    func linkBegunWithPassword() async throws {
        let scene = try Scene()
        scene.toolkit.put("native", ["passwordHash": .string("hash")])
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.x, to: "native") }
        #expect(try await scene.account("native")?.isAnonymous == false)
    }

    @Test("A link that was begun is made though its address is the account's own")
    func linkBegunWithAddress() async throws {
        let scene = try Scene()
        scene.toolkit.put(
            "native",
            ["email": .string("ann@example.com"), "emailVerified": .bool(true), "passwordHash": .string("hash")])
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.x, to: "native") }
        scene.toolkit.up()
        #expect(
            try await scene.signIn(Scene.x, email: "ann@example.com") == .signedIn(uid: "native", isNew: false))
    }

    @Test("A link that Firebase confirms and does not make is not believed")
    func linkNotMade() async throws {
        let scene = try Scene()
        scene.toolkit.fail("accounts:update", .answer(200, "{}"))
        #expect(try await scene.signIn() == .signedIn(uid: "first", isNew: true))
        #expect(scene.toolkit.owner(of: Scene.yahoo) == "first")
    }

    @Test("A link that was begun is not made for a user who was disabled since")
    func linkBegunUserDisabled() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.x, to: "first") }
        scene.toolkit.up()
        scene.toolkit.put("first", ["disabled": .bool(true)])
        #expect(try await scene.signIn(Scene.x) == .refused(.disabled))
        #expect(scene.toolkit.owner(of: Scene.x) == nil)
    }

    @Test("A link that was begun and is then removed is not made by the next sign-in")
    func linkBegunAndRemoved() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.x, to: "first") }
        scene.toolkit.up()
        #expect(try await scene.unlink("twitter.com", from: "first") == .notLinked)
        #expect(try await scene.signIn(Scene.x) == .signedIn(uid: "second", isNew: true))
    }

    @Test("A link that was begun brings no user back who was deleted natively")
    func linkBegunUserDeleted() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.x, to: "first") }
        scene.toolkit.up()
        scene.toolkit.remove("first")
        #expect(try await scene.signIn(Scene.x) == .signedIn(uid: "second", isNew: true))
    }

    @Test("An anonymous account stays anonymous while its link has not come about")
    func anonymousLinkBegun() async throws {
        let scene = try Scene()
        let uid = try await scene.directory.makeAnonymous(candidates: ["anon"], deleteAfter: nil, at: Scene.now)
        scene.toolkit.put(uid, ["customAuth": .bool(true)])
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.yahoo, to: uid) }
        scene.toolkit.up()
        #expect(try await scene.account(uid)?.isAnonymous == true)
        _ = try await scene.link(Scene.yahoo, to: uid)
        #expect(try await scene.account(uid)?.isAnonymous == false)
    }
}
