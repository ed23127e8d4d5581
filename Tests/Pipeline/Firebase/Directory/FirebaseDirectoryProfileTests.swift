import Firebase
import Fixtures
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

    // MARK: - After unlinking

    /// A user whose profile is that of Yahoo, and who has also linked X.
    private func linked(x details: IdentityDetails = IdentityDetails()) async throws -> Scene {
        let scene = try Scene(syncsProfile: true)
        _ = try await signIn(scene)
        let incoming = IncomingIdentity(identity: Scene.x, details: details, email: nil)
        _ = try await scene.directory.link(incoming, to: "first", at: Scene.now)
        return scene
    }

    @Test("The name and the picture of an unlinked provider are deleted, in the step that unlinks")
    func deleted() async throws {
        let scene = try await linked()
        scene.toolkit.forgetCalls()
        _ = try await scene.unlink("yahoo.com", from: "first")
        #expect(scene.toolkit.member("displayName", of: "first") == nil)
        #expect(scene.toolkit.member("photoUrl", of: "first") == nil)
        #expect(scene.toolkit.calls.count { $0 == "accounts:update" } == 1)
    }

    @Test("They become those of the next provider, as far as it has them")
    func next() async throws {
        let scene = try await linked(x: IdentityDetails(name: "Ann on X"))
        _ = try await scene.unlink("yahoo.com", from: "first")
        #expect(scene.toolkit.member("displayName", of: "first") == .string("Ann on X"))
        #expect(scene.toolkit.member("photoUrl", of: "first") == nil)
    }

    @Test("The details of the last sign-in count, and not only those of the link")
    func changedSince() async throws {
        let scene = try await linked()
        _ = try await scene.directory.signIn(
            scene.arrival(name: "Ann Smith", picture: "https://img.example/b"), candidates: [], emails: .shared,
            at: Scene.now)
        #expect(scene.toolkit.member("displayName", of: "first") == .string("Ann Smith"))
        _ = try await scene.unlink("yahoo.com", from: "first")
        #expect(scene.toolkit.member("displayName", of: "first") == nil)
        #expect(scene.toolkit.member("photoUrl", of: "first") == nil)
    }

    @Test("A value that the provider did not send stays, because the application or the user wrote it")
    func ownValues() async throws {
        let scene = try await linked(x: IdentityDetails(name: "Ann on X"))
        scene.toolkit.put("first", ["displayName": .string("Captain"), "photoUrl": .string("https://app.example/me")])
        _ = try await scene.unlink("yahoo.com", from: "first")
        #expect(scene.toolkit.member("displayName", of: "first") == .string("Captain"))
        #expect(scene.toolkit.member("photoUrl", of: "first") == .string("https://app.example/me"))
    }

    @Test("The entry of a password, which repeats the user's profile, is no next provider")
    func passwordEntry() async throws {
        let scene = try Scene(syncsProfile: true)
        _ = try await signIn(scene)
        let entries = scene.toolkit.member("providerUserInfo", of: "first")?.array ?? []
        let password: JSON = .object([
            "providerId": .string("password"), "rawId": .string("ann@example.com"), "displayName": .string("Ann"),
            "photoUrl": .string("https://img.example/a"),
        ])
        scene.toolkit.put(
            "first", ["providerUserInfo": .array(entries + [password]), "passwordHash": .string("hash")])
        _ = try await scene.unlink("yahoo.com", from: "first")
        #expect(scene.toolkit.member("displayName", of: "first") == nil)
        #expect(scene.toolkit.member("photoUrl", of: "first") == nil)
    }

    @Test("Without sync_profile, unlinking leaves the profile alone")
    func notSynced() async throws {
        let scene = try Scene()
        _ = try await signIn(scene)
        _ = try await scene.link(Scene.x, to: "first")
        scene.toolkit.put("first", ["displayName": .string("Ann"), "photoUrl": .string("https://img.example/a")])
        _ = try await scene.unlink("yahoo.com", from: "first")
        #expect(scene.toolkit.member("displayName", of: "first") == .string("Ann"))
        #expect(scene.toolkit.member("photoUrl", of: "first") == .string("https://img.example/a"))
    }
}
