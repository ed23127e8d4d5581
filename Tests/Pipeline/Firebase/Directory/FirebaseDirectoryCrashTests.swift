import Firebase
import Fixtures
import Jansson
import Stores
import Testing
import Transport

@Suite("Unfinished sign-ins and links")
struct DirectoryCrashTests {
    private let unreachable = Toolkit.unreachable

    @Test("After a crash behind the reservation, the next sign-in creates the user with the reserved uid")
    func beforeTheUser() async throws {
        let scene = try Scene()
        scene.toolkit.down("accounts")
        await #expect(throws: unreachable) { try await scene.signIn() }
        #expect(scene.toolkit.uids.isEmpty)
        scene.toolkit.up()
        #expect(try await scene.signIn(candidates: ["other"]) == .signedIn(uid: "first", isNew: true))
        #expect(try await scene.pendingRows().isEmpty)
    }

    @Test("After a crash behind the creation of the user, the next sign-in links the identity")
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

    @Test("After a crash behind the link, the next sign-in writes its row")
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

    @Test("A user whose creation got no response is found by the next sign-in")
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

    @Test("A uid that another person got during the reservation stays with that person")
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

    @Test("A pending link is completed by the next sign-in")
    func linkBegun() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.x, to: "first") }
        scene.toolkit.up()
        #expect(try await scene.signIn(Scene.x) == .signedIn(uid: "first", isNew: false))
        #expect(try await scene.account("first")?.providers == ["twitter.com", "yahoo.com"])
    }

    @Test("A pending link does not make a user with a password anonymous")
    func linkBegunWithPassword() async throws {
        let scene = try Scene()
        scene.toolkit.put("native", ["passwordHash": .string("hash")])
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.x, to: "native") }
        #expect(try await scene.account("native")?.isAnonymous == false)
    }

    @Test("A pending link is completed although its address is the account's own")
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

    @Test("A link that Firebase confirms without making it is detected")
    func linkNotMade() async throws {
        let scene = try Scene()
        scene.toolkit.fail("accounts:update", .answer(200, "{}"))
        #expect(try await scene.signIn() == .signedIn(uid: "first", isNew: true))
        #expect(scene.toolkit.owner(of: Scene.yahoo) == "first")
    }

    @Test("A pending link is not completed for a disabled user")
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

    @Test("A pending link that was removed is not completed by the next sign-in")
    func linkBegunAndRemoved() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.x, to: "first") }
        scene.toolkit.up()
        #expect(try await scene.unlink("twitter.com", from: "first") == .notLinked)
        #expect(try await scene.signIn(Scene.x) == .signedIn(uid: "second", isNew: true))
    }

    @Test("A pending link does not create a natively deleted user again")
    func linkBegunUserDeleted() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.down("accounts:update")
        await #expect(throws: unreachable) { try await scene.link(Scene.x, to: "first") }
        scene.toolkit.up()
        scene.toolkit.remove("first")
        #expect(try await scene.signIn(Scene.x) == .signedIn(uid: "second", isNew: true))
    }

    @Test("An anonymous account stays anonymous until its link is completed")
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
