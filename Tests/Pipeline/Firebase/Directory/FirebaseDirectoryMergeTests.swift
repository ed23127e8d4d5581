import Firebase
import Fixtures
import Jansson
import Standards
import Stores
import Testing

@Suite("Merging by Firebase's directory")
struct DirectoryMergeTests {
    /// `first` has Yahoo, `second` has X.
    private func scene() async throws -> Scene {
        let scene = try Scene()
        try await scene.signIn(candidates: ["first"])
        try await scene.signIn(Scene.x, candidates: ["second"])
        return scene
    }

    @Test("The identities move, and the emptied user and account are deleted")
    func merge() async throws {
        let scene = try await scene()
        guard case .merged(let account) = try await scene.merge("second", into: "first") else {
            Issue.record("They were not merged.")
            return
        }
        #expect(account.uid == "first" && account.providers == ["twitter.com", "yahoo.com"])
        #expect(scene.toolkit.uids == ["first"])
        #expect(try await scene.account("second") == nil)
        #expect(try await scene.signIn(Scene.x) == .signedIn(uid: "first", isNew: false))
        #expect(try await scene.pendingRows().isEmpty)
    }

    @Test("An account with a way to sign in that cannot be moved is not merged, and nothing is changed")
    func otherSignInMethod() async throws {
        let scene = try await scene()
        scene.toolkit.put("second", ["passwordHash": .string("hash")])
        #expect(try await scene.merge("second", into: "first") == .otherSignInMethod)
        #expect(scene.toolkit.owner(of: Scene.x) == "second")
    }

    @Test("Two identities of one provider are not merged, and nothing is changed")
    func providerTaken() async throws {
        let scene = try await scene()
        _ = try await scene.link(ExternalIdentity(provider: "yahoo.com", subject: "BOB"), to: "second")
        #expect(try await scene.merge("second", into: "first") == .providerTaken)
        #expect(scene.toolkit.providers(of: "second") == ["twitter.com", "yahoo.com"])
    }

    @Test("A disabled account is not merged, whichever of the two it is", arguments: ["first", "second"])
    func disabled(uid: UID) async throws {
        let scene = try await scene()
        scene.toolkit.put(uid, ["disabled": .bool(true)])
        #expect(try await scene.merge("second", into: "first") == .refused(.disabled))
    }

    @Test("An account with a second factor is not merged into another")
    func secondFactor() async throws {
        let scene = try await scene()
        scene.toolkit.put("second", ["mfaInfo": .array([.object(["mfaEnrollmentId": .string("1")])])])
        #expect(try await scene.merge("second", into: "first") == .refused(.secondFactorEnrolled))
    }

    @Test("An account is merged with another one that exists", arguments: ["nobody", "first"])
    func unknownAccount(uid: UID) async throws {
        let scene = try await scene()
        #expect(try await scene.merge(uid, into: "first") == .unknownAccount)
    }

    @Test("An identity that was unlinked when the merge failed is linked to the remaining account by the next sign-in")
    func crashInTheMove() async throws {
        let scene = try await scene()
        // The first update unlinks the identity; all further ones fail.
        scene.toolkit.before("accounts:update") { $0.down("accounts:update") }
        await #expect(throws: StoreError.outcomeUnknown(.directoryUnreachable)) {
            try await scene.merge("second", into: "first")
        }
        #expect(scene.toolkit.owner(of: Scene.x) == nil)
        scene.toolkit.up()
        #expect(try await scene.signIn(Scene.x, candidates: ["third"]) == .signedIn(uid: "first", isNew: false))
        #expect(scene.toolkit.providers(of: "first") == ["twitter.com", "yahoo.com"])
        #expect(try await scene.pendingRows().isEmpty)
    }

    @Test("An identity moves although a link to a third account was pending")
    func rivalIntent() async throws {
        let scene = try await scene()
        scene.toolkit.unlink("twitter.com", from: "second")
        scene.toolkit.put("third", ["passwordHash": .string("hash")])
        scene.toolkit.down("accounts:update")
        await #expect(throws: Toolkit.unreachable) {
            try await scene.link(Scene.x, to: "third")
        }
        scene.toolkit.up()
        scene.toolkit.link(Scene.x, to: "second")
        guard case .merged = try await scene.merge("second", into: "first") else {
            Issue.record("They were not merged.")
            return
        }
        #expect(scene.toolkit.owner(of: Scene.x) == "first")
        #expect(try await scene.pendingRows().isEmpty)
    }

    @Test("An account that gets another way to sign in during the merge is not deleted")
    func signInMethodMeanwhile() async throws {
        let scene = try await scene()
        scene.toolkit.before("accounts:update") { $0.put("second", ["phoneNumber": .string("+15550100")]) }
        // An identity has moved, so that the error must not say that nothing was written.
        await #expect(throws: StoreError.outcomeUnknown(.directoryBusy)) {
            try await scene.merge("second", into: "first")
        }
        #expect(scene.toolkit.uids == ["first", "second"])
        #expect(scene.toolkit.owner(of: Scene.x) == "first")
        #expect(try await scene.merge("second", into: "first") == .otherSignInMethod)
    }
}
