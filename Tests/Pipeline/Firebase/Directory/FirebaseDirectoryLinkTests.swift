import Firebase
import Fixtures
import Jansson
import Stores
import Testing

@Suite("Linking and unlinking by Firebase's directory")
struct DirectoryLinkTests {
    @Test("An identity is linked to the caller's Firebase user and local account")
    func link() async throws {
        let scene = try Scene()
        try await scene.signIn()
        guard case .linked(let account) = try await scene.link(Scene.x, to: "first") else {
            Issue.record("It was not linked.")
            return
        }
        #expect(account.providers == ["twitter.com", "yahoo.com"])
        #expect(scene.toolkit.providers(of: "first") == ["twitter.com", "yahoo.com"])
        #expect(try await scene.pendingRows().isEmpty)
        #expect(try await scene.link(Scene.x, to: "first") == .linked(account))
    }

    @Test("No address is sent with a link, because Firebase could make it the user's")
    func noAddress() async throws {
        let scene = try Scene()
        try await scene.signIn(email: "ann@example.com")
        #expect(scene.toolkit.requests.allSatisfy { $0.json["linkProviderUserInfo"]?["email"] == nil })
    }

    @Test("LK-06: an identity that another user has stays with that user")
    func identityTaken() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.link(Scene.x, to: "native")
        guard case .identityTaken(let holder) = try await scene.link(Scene.x, to: "first") else {
            Issue.record("It is not said to be taken.")
            return
        }
        #expect(holder.uid == "native")
        #expect(scene.toolkit.owner(of: Scene.x) == "native")
    }

    @Test("An identity that a native sign-in linked to a retired uid can be linked by the caller")
    func retiredHolder() async throws {
        let scene = try Scene()
        try await scene.signIn()
        _ = try await scene.store.retire(uid: "gone", at: Scene.now)
        scene.toolkit.link(Scene.x, to: "gone")
        #expect(try await scene.directory.account(of: Scene.x) == nil)
        guard case .linked = try await scene.link(Scene.x, to: "first") else {
            Issue.record("It was not linked.")
            return
        }
        #expect(scene.toolkit.owner(of: Scene.x) == "first")
    }

    @Test("A user has one identity of a provider")
    func providerTaken() async throws {
        let scene = try Scene()
        try await scene.signIn()
        let other = ExternalIdentity(provider: "yahoo.com", subject: "BOB")
        #expect(try await scene.link(other, to: "first") == .providerTaken)
        #expect(scene.toolkit.owner(of: Scene.yahoo) == "first")
    }

    @Test("An account whose user is missing, or whose uid was retired, gets no link")
    func unknownAccount() async throws {
        let scene = try Scene()
        #expect(try await scene.link(Scene.x, to: "nobody") == .unknownAccount)
        scene.toolkit.put("gone")
        _ = try await scene.store.retire(uid: "gone", at: Scene.now)
        #expect(try await scene.link(Scene.x, to: "gone") == .unknownAccount)
        #expect(scene.toolkit.owner(of: Scene.x) == nil)
    }

    @Test("A disabled user gets no link")
    func disabled() async throws {
        let scene = try Scene()
        scene.toolkit.put("native", ["disabled": .bool(true)])
        #expect(try await scene.link(Scene.x, to: "native") == .refused(.disabled))
    }

    @Test("An anonymous account that is linked keeps its uid and is permanent")
    func anonymous() async throws {
        let scene = try Scene()
        let uid = try await scene.directory.makeAnonymous(candidates: ["anon"], deleteAfter: nil, at: Scene.now)
        scene.toolkit.put(uid, ["customAuth": .bool(true)])
        #expect(try await scene.account(uid)?.isAnonymous == true)
        guard case .linked(let account) = try await scene.link(Scene.yahoo, to: uid) else {
            Issue.record("It was not linked.")
            return
        }
        #expect(account.uid == uid && !account.isAnonymous)
        #expect(try await scene.signIn() == .signedIn(uid: uid, isNew: false))
    }

    @Test("A second identity of a provider replaces one whose link is pending")
    func otherIntent() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.down("accounts:update")
        await #expect(throws: Toolkit.unreachable) {
            try await scene.link(Scene.x, to: "first")
        }
        scene.toolkit.up()
        let other = ExternalIdentity(provider: "twitter.com", subject: "456")
        guard case .linked = try await scene.link(other, to: "first") else {
            Issue.record("It was not linked.")
            return
        }
        #expect(try await scene.signIn(Scene.x) == .signedIn(uid: "second", isNew: true))
    }

    @Test("An unlinked identity is removed from both directories, and creates a new account")
    func unlink() async throws {
        let scene = try Scene()
        try await scene.signIn()
        _ = try await scene.link(Scene.x, to: "first")
        guard case .unlinked(let account) = try await scene.unlink("yahoo.com", from: "first") else {
            Issue.record("It was not unlinked.")
            return
        }
        #expect(account.providers == ["twitter.com"])
        #expect(scene.toolkit.providers(of: "first") == ["twitter.com"])
        #expect(try await scene.unlink("yahoo.com", from: "first") == .notLinked)
        #expect(try await scene.signIn() == .signedIn(uid: "second", isNew: true))
    }

    @Test(
        "The last identity can be unlinked if Firebase knows another way to sign in",
        arguments: [
            ("passwordHash", JSON.string("hash")), ("phoneNumber", .string("+15550100")),
            (
                "providerUserInfo",
                .array([
                    .object(["providerId": .string("yahoo.com"), "rawId": .string("ANN")]),
                    .object(["providerId": .string("google.com"), "rawId": .string("1")]),
                ])
            ),
        ])
    func otherSignInMethod(member: String, value: JSON) async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.put("first", [member: value])
        guard case .unlinked(let account) = try await scene.unlink("yahoo.com", from: "first") else {
            Issue.record("It was not unlinked.")
            return
        }
        #expect(account.identities.isEmpty && account.hasOtherSignInMethod)
    }

    @Test("The last way to sign in stays, whatever the local directory contains")
    func lastIdentity() async throws {
        let scene = try Scene()
        try await scene.signIn()
        #expect(try await scene.unlink("yahoo.com", from: "first") == .lastIdentity)
        scene.toolkit.link(Scene.x, to: "adopted")
        _ = try await scene.account("adopted")
        #expect(try await scene.unlink("twitter.com", from: "adopted") == .lastIdentity)
        #expect(scene.toolkit.owner(of: Scene.x) == "adopted")
    }

    @Test("A way to sign in that is not a configured provider is not removed")
    func foreignProvider() async throws {
        let scene = try Scene()
        try await scene.signIn()
        scene.toolkit.link(ExternalIdentity(provider: "google.com", subject: "1"), to: "first")
        #expect(try await scene.unlink("google.com", from: "first") == .notLinked)
        #expect(try await scene.unlink("google.com", from: "nobody") == .unknownAccount)
    }

    @Test("An unlinking whose response was lost is not reported as undone")
    func unlinkUnconfirmed() async throws {
        let scene = try Scene()
        try await scene.signIn()
        _ = try await scene.link(Scene.x, to: "first")
        scene.toolkit.before("accounts:update") { $0.down("accounts:lookup") }
        await #expect(throws: StoreError.outcomeUnknown(.directoryUnreachable)) {
            try await scene.unlink("yahoo.com", from: "first")
        }
    }
}
