import Firebase
import Fixtures
import Jansson
import Standards
import Stores
import Testing

@Suite("Sign-in by Firebase's directory")
struct DirectorySignInTests {
    @Test("A first sign-in creates a user with the identity, and its row")
    func newPerson() async throws {
        let scene = try Scene()
        #expect(try await scene.signIn() == .signedIn(uid: "first", isNew: true))
        #expect(scene.toolkit.owner(of: Scene.yahoo) == "first")
        #expect(try await scene.store.account(of: Scene.yahoo)?.uid == "first")
        #expect(try await scene.pendingRows().isEmpty)
    }

    @Test("A known person costs one request")
    func knownPerson() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.forgetCalls()
        #expect(try await scene.signIn(candidates: ["other"]) == .signedIn(uid: "first", isNew: false))
        #expect(scene.toolkit.calls == ["accounts:lookup"])
    }

    @Test("A person who signed in natively before keeps that uid")
    func nativePerson() async throws {
        let scene = try Scene()
        scene.toolkit.link(Scene.yahoo, to: "native")
        #expect(try await scene.signIn() == .signedIn(uid: "native", isNew: false))
        #expect(try await scene.store.account(of: Scene.yahoo)?.uid == "native")
    }

    @Test("A uid that a Firebase user has is not given again")
    func takenUID() async throws {
        let scene = try Scene()
        scene.toolkit.put("first", ["customAuth": .bool(true)])
        #expect(try await scene.signIn() == .signedIn(uid: "second", isNew: true))
        #expect(scene.toolkit.providers(of: "first").isEmpty)
    }

    @Test("If Firebase users have all candidates, no account is created")
    func noFreeUID() async throws {
        let scene = try Scene()
        scene.toolkit.put("first")
        scene.toolkit.put("second")
        await #expect(throws: StoreError.noFreeUID) { try await scene.signIn() }
    }

    @Test(
        "A user who is disabled, or has a second factor, gets no custom token",
        arguments: [
            ("disabled", JSON.bool(true), AccountRefusal.disabled),
            ("mfaInfo", .array([.object(["mfaEnrollmentId": .string("1")])]), .secondFactorEnrolled),
        ])
    func refusedUser(member: String, value: JSON, refusal: AccountRefusal) async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.put("first", [member: value])
        #expect(try await scene.signIn() == .refused(refusal))
    }

    @Test("An account that an operator disabled here is refused though its user is not disabled")
    func disabledHere() async throws {
        let scene = try Scene()
        try await scene.signIn()
        _ = try await scene.store.setDisabled(true, uid: "first")
        #expect(try await scene.signIn() == .refused(.disabled))
    }

    @Test("A link that was removed natively no longer leads to the old account")
    func removedNatively() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.unlink("yahoo.com", from: "first")
        #expect(try await scene.signIn(candidates: ["second"]) == .signedIn(uid: "second", isNew: true))
        #expect(scene.toolkit.providers(of: "first").isEmpty)
        #expect(try await scene.store.account(uid: "first")?.providersOfPeople == [])
    }

    @Test("A link that was added since the lookup, with its row, does not count as removed")
    func rowNewerThanLook() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.fail("accounts:lookup", .answer(200, "{}"))
        #expect(try await scene.signIn() == .signedIn(uid: "first", isNew: false))
        #expect(scene.toolkit.uids == ["first"])
        // No uid was used.
        #expect(try await scene.signIn(Scene.x) == .signedIn(uid: "second", isNew: true))
    }

    @Test("The row of another identity of the same provider that was linked natively replaces the old one")
    func switchedNatively() async throws {
        let scene = try Scene()
        try await scene.signIn()
        let other = ExternalIdentity(provider: "yahoo.com", subject: "BOB")
        scene.toolkit.link(other, to: "first")
        #expect(try await scene.signIn(other) == .signedIn(uid: "first", isNew: false))
        #expect(try await scene.store.account(of: Scene.yahoo) == nil)
        #expect(try await scene.signIn() == .signedIn(uid: "second", isNew: true))
    }

    @Test("Removing a link natively does not enable an account that an operator disabled")
    func removedNativelyWhileDisabled() async throws {
        let scene = try Scene()
        try await scene.signIn()
        _ = try await scene.link(Scene.x, to: "first")
        _ = try await scene.store.setDisabled(true, uid: "first")
        scene.toolkit.unlink("yahoo.com", from: "first")
        #expect(try await scene.signIn(candidates: ["second"]) == .refused(.disabled))
    }

    @Test("A user who was deleted natively is not created again with the same uid")
    func deletedNatively() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.remove("first")
        #expect(try await scene.signIn() == .signedIn(uid: "second", isNew: true))
    }

    @Test("An identity that was moved natively leads to its new user")
    func movedNatively() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.unlink("yahoo.com", from: "first")
        scene.toolkit.link(Scene.yahoo, to: "native")
        #expect(try await scene.signIn() == .signedIn(uid: "native", isNew: false))
        #expect(try await scene.store.account(of: Scene.yahoo)?.uid == "native")
    }

    @Test("A retired uid is never given again, and loses an identity that a native sign-in linked to it")
    func retiredUID() async throws {
        let scene = try Scene()
        _ = try await scene.store.retire(uid: "gone", at: Scene.now)
        scene.toolkit.link(Scene.yahoo, to: "gone")
        #expect(try await scene.signIn() == .signedIn(uid: "first", isNew: true))
        #expect(scene.toolkit.providers(of: "gone").isEmpty)
    }

    @Test("An identity that differs in letter case is another one")
    func otherCase() async throws {
        let scene = try Scene()
        try await scene.signIn()
        let other = ExternalIdentity(provider: "yahoo.com", subject: "ann")
        #expect(try await scene.signIn(other) == .signedIn(uid: "second", isNew: true))
    }
}

extension StoredAccount {
    /// Returns the rows that are identities of a provider.
    var providersOfPeople: [ProviderID] { providers.filter { !$0.text.contains(":") } }
}
