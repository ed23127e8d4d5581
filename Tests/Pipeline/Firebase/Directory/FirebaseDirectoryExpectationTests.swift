import Firebase
import Fixtures
import JOSE
import Standards
import Stores
import Testing

/// The calls have been checked when an account gets a second factor, which they have not proven.
@Suite("What a call expects of an account in Firebase's directory")
struct DirectoryExpectationTests {
    private static let google = ExternalIdentity(provider: "google.com", subject: "7")

    private static func unproven(_ uid: UID) -> AccountExpectation {
        AccountExpectation(uid: uid, holder: FactorHolder(uid: uid), provesFactor: false)
    }

    private static func addFactor(to uid: UID, in scene: Scene) async throws {
        let factor = EnrolledFactor(
            id: "factor", name: nil, secret: "sealed", createdAt: Scene.now, expiresAt: Scene.now + .seconds(60))
        try #require(try await scene.store.keep(factor, expecting: unproven(uid)) == .done)
        let confirmed = try await scene.store.confirm(
            "factor", expecting: unproven(uid), step: 0, recoveryCodes: [], at: Scene.now)
        try #require(confirmed == .done)
    }

    /// `first` has Yahoo and Google, `second` has X.
    private static func scene() async throws -> Scene {
        let scene = try Scene(providers: ["yahoo.com", "twitter.com", "google.com"])
        try await scene.signIn(candidates: ["first"])
        _ = try await scene.link(google, to: "first")
        try await scene.signIn(Scene.x, candidates: ["second"])
        return scene
    }

    private static func expectNoChange(
        _ scene: Scene, _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(scene.toolkit.providers(of: "first") == ["google.com", "yahoo.com"], sourceLocation: sourceLocation)
        #expect(scene.toolkit.providers(of: "second") == ["twitter.com"], sourceLocation: sourceLocation)
        #expect(try await scene.pendingRows().isEmpty, sourceLocation: sourceLocation)
    }

    @Test("With a factor that the call has not proven nothing is linked, not even an identity that the user has")
    func link() async throws {
        let scene = try await Self.scene()
        try await Self.addFactor(to: "second", in: scene)
        for identity in [Scene.yahoo2, Scene.x] {
            #expect(
                try await scene.directory.link(
                    scene.arrival(identity), to: "second", expecting: Self.unproven("second"), at: Scene.now)
                    == .refused(.factorNotProven))
            try await Self.expectNoChange(scene)
        }
    }

    @Test("Nothing is unlinked")
    func unlink() async throws {
        let scene = try await Self.scene()
        try await Self.addFactor(to: "first", in: scene)
        #expect(
            try await scene.directory.unlink(
                provider: "yahoo.com", from: "first", expecting: Self.unproven("first"), at: Scene.now)
                == .refused(.factorNotProven))
        try await Self.expectNoChange(scene)
    }

    @Test("Neither account is merged into the other")
    func merge() async throws {
        for (uid, refusal) in [("first", .refused(.factorNotProven)), ("second", .hasFactor)]
            as [(UID, MergeDecision)]
        {
            let scene = try await Self.scene()
            try await Self.addFactor(to: uid, in: scene)
            let expectation = MergeExpectation(going: Self.unproven("second"), staying: Self.unproven("first"))
            #expect(
                try await scene.directory.merge("second", into: "first", expecting: expectation, at: Scene.now)
                    == refusal)
            try await Self.expectNoChange(scene)
        }
    }

    @Test("An account that gets the factor while its identities move is not deleted")
    func mergeMeanwhile() async throws {
        let scene = try await Self.scene()
        scene.toolkit.before("accounts:update") { _ in
            await #expect(throws: Never.self) { try await Self.addFactor(to: "second", in: scene) }
        }
        let expectation = MergeExpectation(going: Self.unproven("second"), staying: Self.unproven("first"))
        await #expect(throws: StoreError.outcomeUnknown(.directoryBusy)) {
            try await scene.directory.merge("second", into: "first", expecting: expectation, at: Scene.now)
        }
        #expect(scene.toolkit.uids.contains("second"))
        #expect(try await scene.store.factors(of: FactorHolder(uid: "second")).confirmed.count == 1)
    }

    @Test("The user is not deleted")
    func retire() async throws {
        let scene = try await Self.scene()
        try await Self.addFactor(to: "second", in: scene)
        #expect(
            try await scene.directory.retire(uid: "second", expecting: Self.unproven("second"), at: Scene.now)
                == .refused(.factorNotProven))
        #expect(scene.toolkit.uids.contains("second"))
        try await Self.expectNoChange(scene)
    }
}
