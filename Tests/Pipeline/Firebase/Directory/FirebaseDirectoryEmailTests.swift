import Firebase
import Fixtures
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

    @Test(
        "A verified address of a Firebase user prevents a second account; the error names the ways to sign in"
    )
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

    @Test("An unverified address prevents no sign-in")
    func unverified() async throws {
        let scene = try Scene()
        scene.toolkit.put("native", ["email": .string(address), "passwordHash": .string("hash")])
        #expect(try await scene.signIn(email: address) == .signedIn(uid: "first", isNew: true))
    }

    @Test("Several accounts may share an address if the rule allows it")
    func shared() async throws {
        let scene = try Scene()
        scene.toolkit.put("native", ["email": .string(address), "emailVerified": .bool(true)])
        #expect(
            try await scene.signIn(email: address, emails: .shared) == .signedIn(uid: "first", isNew: true))
    }

    @Test("The address of a local account counts even if its user has none")
    func ours() async throws {
        let scene = try Scene()
        try await scene.signIn(Scene.x, email: address)
        let holders = holders(try await scene.signIn(email: address))
        #expect(holders?.map(\.uid) == ["first"])
        #expect(holders?.first?.providers == ["twitter.com"])
    }

    @Test("An address that the account has lost at Firebase prevents no sign-in")
    func givenUp() async throws {
        let scene = try Scene()
        try await scene.signIn(Scene.x, email: address)
        scene.toolkit.put("first", ["email": .string("new@example.com"), "emailVerified": .bool(true)])
        #expect(try await scene.signIn(email: address) == .signedIn(uid: "second", isNew: true))
    }

    @Test("The address of an account without a way to sign in prevents no sign-in")
    func nobodyEnters() async throws {
        let scene = try Scene()
        try await scene.signIn(email: address)
        scene.toolkit.unlink("yahoo.com", from: "first")
        #expect(try await scene.signIn(email: address) == .signedIn(uid: "second", isNew: true))
        // With another identity, so that only the address leads to the first account.
        let other = try Scene()
        try await other.signIn(email: address)
        other.toolkit.unlink("yahoo.com", from: "first")
        #expect(try await other.signIn(Scene.x, email: address) == .signedIn(uid: "second", isNew: true))
    }

    @Test("Of two parallel first sign-ins with one address the later one is refused")
    func beingMade() async throws {
        let scene = try Scene()
        scene.toolkit.down("accounts")
        await #expect(throws: Toolkit.unreachable) {
            try await scene.signIn(Scene.x, email: address)
        }
        scene.toolkit.up()
        let holders = holders(try await scene.signIn(email: address))
        #expect(holders?.first?.providers == ["twitter.com"])
    }

    @Test("The account gets the address of a later sign-in unless it has one at Firebase")
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
        // Another user with the address does not take it from a user who has an address.
        other.toolkit.put(
            "native", ["email": .string(address), "emailVerified": .bool(true), "passwordHash": .string("hash")])
        #expect(try await other.signIn(email: address) == .signedIn(uid: "first", isNew: false))
    }

    @Test("If another user or account has the address, they keep it, and the result names them")
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
