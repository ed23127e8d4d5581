import Firebase
import Jansson
import Stores
import Testing

@Suite("One account per address")
struct DirectoryEmailTests {
    private let address = "ann@example.com"

    private func holders(_ decision: SignInDecision) -> [StoredAccount]? {
        guard case .emailTaken(let holders) = decision else { return nil }
        return holders
    }

    @Test("A verified address of a Firebase user makes no second account, and says by what that user signs in")
    func firebaseUser() async throws {
        let scene = try Scene()
        scene.toolkit.put(
            "native",
            ["email": .string(address), "emailVerified": .bool(true), "passwordHash": .string("hash")])
        scene.toolkit.link(Scene.x, to: "native")
        let holders = holders(try await scene.signIn(email: address))
        #expect(holders?.map(\.uid) == ["native"])
        #expect(holders?.first?.providers == ["password", "twitter.com"])
        #expect(scene.toolkit.uids == ["native"])
        #expect(try await scene.store.account(uid: "first") == nil)
    }

    @Test("An unverified address keeps nobody out")
    func unverified() async throws {
        let scene = try Scene()
        scene.toolkit.put("native", ["email": .string(address), "passwordHash": .string("hash")])
        #expect(try await scene.signIn(email: address) == .signedIn(uid: "first", isNew: true))
    }

    @Test("Several accounts may share an address where that is allowed")
    func shared() async throws {
        let scene = try Scene()
        scene.toolkit.put("native", ["email": .string(address), "emailVerified": .bool(true)])
        #expect(
            try await scene.signIn(email: address, emails: .shared) == .signedIn(uid: "first", isNew: true))
    }

    @Test("The address of an account of ours counts though its user has none")
    func ours() async throws {
        let scene = try Scene()
        try await scene.signIn(Scene.x, email: address)
        let holders = holders(try await scene.signIn(email: address))
        #expect(holders?.map(\.uid) == ["first"])
        #expect(holders?.first?.providers == ["twitter.com"])
    }

    @Test("An address that our account has given up at Firebase keeps nobody out")
    func givenUp() async throws {
        let scene = try Scene()
        try await scene.signIn(Scene.x, email: address)
        scene.toolkit.put("first", ["email": .string("new@example.com"), "emailVerified": .bool(true)])
        #expect(try await scene.signIn(email: address) == .signedIn(uid: "second", isNew: true))
    }

    @Test("The address of an account that nobody can enter any more keeps nobody out")
    func nobodyEnters() async throws {
        let scene = try Scene()
        try await scene.signIn(email: address)
        scene.toolkit.unlink("yahoo.com", from: "first")
        #expect(try await scene.signIn(email: address) == .signedIn(uid: "second", isNew: true))
        // By another identity too, so that it is the address only that leads to the first account.
        let other = try Scene()
        try await other.signIn(email: address)
        other.toolkit.unlink("yahoo.com", from: "first")
        #expect(try await other.signIn(Scene.x, email: address) == .signedIn(uid: "second", isNew: true))
    }

    @Test("Of two first sign-ins with one address, the one that comes while the other is being made is refused")
    func beingMade() async throws {
        let scene = try Scene()
        scene.toolkit.down("accounts")
        await #expect(throws: StoreError.unavailable(.directoryUnreachable)) {
            try await scene.signIn(Scene.x, email: address)
        }
        scene.toolkit.up()
        let holders = holders(try await scene.signIn(email: address))
        #expect(holders?.first?.providers == ["twitter.com"])
    }

    @Test("An address that a later sign-in brings is the account's, unless it has one at Firebase")
    func later() async throws {
        let scene = try Scene()
        try await scene.signIn()
        #expect(try await scene.signIn(email: address) == .signedIn(uid: "first", isNew: false))
        #expect(try await scene.store.account(uid: "first")?.email == EmailAddress(address))
        #expect(holders(try await scene.signIn(Scene.x, email: address))?.map(\.uid) == ["first"])
        let other = try Scene()
        try await other.signIn()
        other.toolkit.put("first", ["email": .string("own@example.com"), "emailVerified": .bool(true)])
        #expect(try await other.signIn(email: address) == .signedIn(uid: "first", isNew: false))
        #expect(try await other.store.account(uid: "first")?.email == nil)
        // Another user who has what was brought takes nothing from one who has an address.
        other.toolkit.put(
            "native", ["email": .string(address), "emailVerified": .bool(true), "passwordHash": .string("hash")])
        #expect(try await other.signIn(email: address) == .signedIn(uid: "first", isNew: false))
    }

    @Test("If a user there or an account here has it, it stays theirs, and they are named")
    func laterHeld() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.put(
            "native", ["email": .string(address), "emailVerified": .bool(true), "passwordHash": .string("hash")])
        #expect(
            try await scene.signIn(email: address) == .signedIn(uid: "first", isNew: false, emailHeldBy: ["native"]))
        #expect(try await scene.store.account(uid: "first")?.email == nil)
        #expect(try await scene.signIn(email: address, emails: .shared) == .signedIn(uid: "first", isNew: false))
        let local = try Scene()
        try await local.signIn()
        try await local.signIn(Scene.x, email: address, candidates: ["second"])
        #expect(
            try await local.signIn(email: address) == .signedIn(uid: "first", isNew: false, emailHeldBy: ["second"]))
    }
}
