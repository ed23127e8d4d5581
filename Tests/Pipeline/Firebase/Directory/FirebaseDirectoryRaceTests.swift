import Firebase
import Fixtures
import Jansson
import Standards
import Stores
import Testing

@Suite("Parallel calls of Firebase's directory")
struct DirectoryRaceTests {
    @Test("LK-07: parallel first sign-ins of one identity all get one uid")
    func firstSignIns() async throws {
        let scene = try Scene()
        let uids = try await withThrowingTaskGroup(of: UID?.self) { group in
            for number in 0..<12 {
                group.addTask {
                    let decision = try await scene.signIn(candidates: ["uid-\(number)", "spare-\(number)"])
                    guard case .signedIn(let uid, _, _, _) = decision else { return nil }
                    return uid
                }
            }
            return try await group.reduce(into: Set<UID?>()) { $0.insert($1) }
        }
        #expect(uids.count == 1 && uids.first != .some(nil))
        #expect(scene.toolkit.uids.count == 1)
        #expect(try await scene.pendingRows().isEmpty)
    }

    @Test("LK-07: of two accounts that link one identity at once, one gets it")
    func twoLinks() async throws {
        let scene = try Scene()
        scene.toolkit.put("a", ["passwordHash": .string("hash")])
        scene.toolkit.put("b", ["passwordHash": .string("hash")])
        async let one = scene.link(Scene.x, to: "a")
        async let other = scene.link(Scene.x, to: "b")
        let decisions = try await [one, other]
        let linked = decisions.filter { if case .linked = $0 { true } else { false } }
        let taken = decisions.filter { if case .identityTaken = $0 { true } else { false } }
        #expect(linked.count == 1 && taken.count == 1)
        #expect(scene.toolkit.providers(of: "a").count + scene.toolkit.providers(of: "b").count == 1)
    }

    @Test("LK-11: two parallel calls that unlink the last two ways to sign in leave one of them")
    func twoUnlinks() async throws {
        let scene = try Scene()
        try await scene.signIn()
        _ = try await scene.link(Scene.x, to: "first")
        async let one = scene.unlink("yahoo.com", from: "first")
        async let other = scene.unlink("twitter.com", from: "first")
        let decisions = try await [one, other]
        #expect(decisions.contains(.lastIdentity))
        #expect(!scene.toolkit.providers(of: "first").isEmpty)
    }

    @Test("If the other way to sign in is removed natively during an unlinking, the identity is linked again")
    func nativeUnlinkInBetween() async throws {
        let scene = try Scene()
        try await scene.signIn()
        _ = try await scene.link(Scene.x, to: "first")
        scene.toolkit.before("accounts:update") { $0.unlink("twitter.com", from: "first") }
        #expect(try await scene.unlink("yahoo.com", from: "first") == .lastIdentity)
        #expect(scene.toolkit.owner(of: Scene.yahoo) == "first")
    }

    @Test("A first sign-in whose identity was linked natively in the meantime signs in that user")
    func nativeSignInInBetween() async throws {
        let scene = try Scene()
        // The first lookup is over by then; the second one finds it.
        scene.toolkit.before("accounts:lookup") { toolkit in
            toolkit.before("accounts:lookup") { $0.link(Scene.yahoo, to: "native") }
        }
        #expect(try await scene.signIn() == .signedIn(uid: "native", isNew: false))
        #expect(scene.toolkit.uids == ["native"])
        #expect(try await scene.pendingRows().isEmpty)
        #expect(try await scene.store.account(uid: "first") == nil)
    }

    @Test("A reservation that another call completed is not completed twice")
    func reservationEnded() async throws {
        let scene = try Scene()
        scene.toolkit.before("accounts:lookup") { toolkit in
            toolkit.before("accounts:lookup") { toolkit in
                // Another process creates and links the user, and then the person removes the link natively.
                toolkit.put("first", ["passwordHash": .string("hash")])
                _ = try? await scene.store.link(scene.arrival(), to: "first", at: Scene.now)
                _ = try? await scene.store.unlink(provider: "pending:yahoo.com", from: "first", at: Scene.now)
            }
        }
        #expect(try await scene.signIn() == .signedIn(uid: "second", isNew: true))
        #expect(scene.toolkit.providers(of: "first").isEmpty)
    }

    @Test("An identity that was linked natively during a link stays with its user")
    func nativeLinkInBetween() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.before("accounts:lookup") { toolkit in
            toolkit.before("accounts:lookup") { $0.link(Scene.x, to: "native") }
        }
        guard case .identityTaken(let holder) = try await scene.link(Scene.x, to: "first") else {
            Issue.record("It is not said to be taken.")
            return
        }
        #expect(holder.uid == "native" && scene.toolkit.owner(of: Scene.x) == "native")
        #expect(try await scene.pendingRows().isEmpty)
    }

    @Test("An identity that moved to another user during an unlinking is not linked again")
    func movedInBetween() async throws {
        let scene = try Scene()
        try await scene.signIn()
        _ = try await scene.link(Scene.x, to: "first")
        scene.toolkit.before("accounts:update") { toolkit in
            toolkit.unlink("twitter.com", from: "first")
            toolkit.before("accounts:lookup") { $0.link(Scene.yahoo, to: "native") }
        }
        guard case .unlinked = try await scene.unlink("yahoo.com", from: "first") else {
            Issue.record("It was not unlinked.")
            return
        }
        #expect(scene.toolkit.owner(of: Scene.yahoo) == "native")
    }

    @Test("Linking an identity during its first sign-in reports it as taken")
    func linkDuringSignIn() async throws {
        let scene = try Scene()
        scene.toolkit.put("a", ["passwordHash": .string("hash")])
        scene.toolkit.down("accounts")
        await #expect(throws: Toolkit.unreachable) { try await scene.signIn() }
        guard case .identityTaken(let holder) = try await scene.link(Scene.yahoo, to: "a") else {
            Issue.record("The identity was linked.")
            return
        }
        #expect(holder.uid == "first" && holder.providers == ["yahoo.com"])
    }
}
