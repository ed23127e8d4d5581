import Firebase
import Jansson
import Stores
import Testing
import Transport

@Suite("The profile at Firebase")
struct DirectoryProfileTests {
    private func signIn(
        _ scene: Scene, _ identity: ExternalIdentity = Scene.yahoo, email: String? = "ann@example.com"
    ) async throws -> SignInDecision {
        try await scene.directory.signIn(
            scene.arrival(identity, email: email, name: "Ann", picture: "https://img.example/a"),
            candidates: ["first"], emails: .shared, at: Scene.now)
    }

    @Test("Name, picture and verified address are written only if they differ")
    func written() async throws {
        let scene = try Scene(syncsProfile: true)
        _ = try await signIn(scene)
        #expect(scene.toolkit.member("displayName", of: "first") == .string("Ann"))
        #expect(scene.toolkit.member("photoUrl", of: "first") == .string("https://img.example/a"))
        #expect(scene.toolkit.member("email", of: "first") == .string("ann@example.com"))
        #expect(scene.toolkit.member("emailVerified", of: "first") == .bool(true))
        scene.toolkit.forgetCalls()
        _ = try await signIn(scene)
        #expect(scene.toolkit.calls == ["accounts:lookup"])
        _ = try await signIn(scene, email: "new@example.com")
        #expect(scene.toolkit.member("email", of: "first") == .string("new@example.com"))
    }

    @Test("Nothing is written if the configuration does not want it")
    func notWanted() async throws {
        let scene = try Scene()
        _ = try await signIn(scene)
        #expect(scene.toolkit.member("displayName", of: "first") == nil)
        #expect(scene.toolkit.member("email", of: "first") == nil)
    }

    @Test("An address that another user has is left out, and the rest is written")
    func emailExists() async throws {
        let scene = try Scene(syncsProfile: true)
        scene.toolkit.put("native", ["email": .string("ann@example.com")])
        #expect(try await signIn(scene) == .signedIn(uid: "first", isNew: true))
        #expect(scene.toolkit.member("email", of: "first") == nil)
        #expect(scene.toolkit.member("displayName", of: "first") == .string("Ann"))
    }

    @Test("The address of a user with a password stays")
    func password() async throws {
        let scene = try Scene(syncsProfile: true)
        scene.toolkit.link(Scene.yahoo, to: "native")
        scene.toolkit.put("native", ["passwordHash": .string("hash"), "email": .string("login@example.com")])
        _ = try await signIn(scene)
        #expect(scene.toolkit.member("email", of: "native") == .string("login@example.com"))
    }

    @Test("With several providers the first verified address stays")
    func severalProviders() async throws {
        let scene = try Scene(syncsProfile: true)
        _ = try await signIn(scene)
        _ = try await scene.link(Scene.x, to: "first")
        _ = try await signIn(scene, Scene.x, email: "x@example.com")
        #expect(scene.toolkit.member("email", of: "first") == .string("ann@example.com"))
    }

    @Test("A profile that cannot be written does not prevent the sign-in")
    func failing() async throws {
        let scene = try Scene(syncsProfile: true)
        scene.toolkit.link(Scene.yahoo, to: "native")
        scene.toolkit.down("accounts:update", .answer(403, "{}"))
        #expect(try await signIn(scene) == .signedIn(uid: "native", isNew: false))
    }

    @Test("Names and pictures keep Firebase's limits of length")
    func lengths() {
        let profile = UserProfile(
            name: String(repeating: "n", count: 300), picture: String(repeating: "p", count: 2049))
        #expect(profile.name == String(repeating: "n", count: 256))
        #expect(profile.picture == nil)
        #expect(UserProfile(name: String(repeating: "😀", count: 200)).name?.utf16.count == 256)
    }
}
