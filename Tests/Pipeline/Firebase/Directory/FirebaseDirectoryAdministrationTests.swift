import Firebase
import Fixtures
import JOSE
import Jansson
import Standards
import Stores
import Testing
import Transport

@Suite("Firebase's directory for operators")
struct DirectoryAdministrationTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    @Test("An account is shown as Identity Toolkit knows it, with the times and details of the local rows")
    func known() async throws {
        _ = try await scene.signIn()
        scene.toolkit.put("first", ["passwordHash": .string("hash"), "email": .string("ann@example.com")])
        let account = try #require(try await scene.directory.account(uid: "first"))
        #expect(account.identities.map(\.identity) == [Scene.yahoo])
        #expect(account.identities.first?.linkedAt == Scene.now)
        #expect(account.signInMethods.names == ["password"] && account.hasOtherSignInMethod)
        #expect(account.email == nil, "the address is not verified")
        #expect(!account.isAnonymous && !account.isAdopted && !account.isDisabled)
    }

    @Test("A native user is shown, and no local row is made")
    func native() async throws {
        scene.toolkit.link(Scene.yahoo, to: "native")
        scene.toolkit.put("native", ["email": .string("ann@example.com"), "emailVerified": .bool(true)])
        let account = try #require(try await scene.directory.account(uid: "native"))
        #expect(account.identities.map(\.identity) == [Scene.yahoo])
        #expect(account.createdAt == NumericDate(1_690_000_000))
        #expect(account.email?.text == "ann@example.com" && account.isAdopted)
        #expect(try await scene.store.account(uid: "native") == nil)
    }

    @Test("An anonymous account without a user is shown; an account whose user was deleted natively is not")
    func withoutUser() async throws {
        _ = try await scene.directory.makeAnonymous(candidates: ["guest"], deleteAfter: Scene.now, at: Scene.now)
        _ = try await scene.signIn()
        scene.toolkit.remove("first")
        #expect(try await scene.directory.account(uid: "guest")?.isAnonymous == true)
        #expect(try await scene.directory.account(uid: "first") == nil)
        #expect(try await scene.directory.account(uid: "unknown") == nil)
        let stored = try await scene.store.accounts(after: nil, atMost: 10)
        #expect(try await scene.directory.withoutUsers(among: stored).map(\.uid) == ["guest"])
        scene.toolkit.put("guest")
        #expect(try await scene.directory.withoutUsers(among: stored).isEmpty)
    }

    @Test("All users are listed, page by page")
    func pages() async throws {
        for uid: UID in ["a", "b", "c", "d"] { scene.toolkit.put(uid) }
        var (uids, token): ([UID], String?) = ([], nil)
        repeat {
            let page = try await scene.directory.accounts(after: token, atMost: 2)
            uids += page.accounts.map(\.uid)
            token = page.next
        } while token != nil
        #expect(uids == ["a", "b", "c", "d"])
        let urls = scene.toolkit.requests.map(\.url)
        #expect(urls.first == Toolkit.base + "accounts:batchGet?maxResults=2")
        #expect(urls.last == Toolkit.base + "accounts:batchGet?maxResults=2&nextPageToken=d")
        #expect(scene.toolkit.requests.allSatisfy { $0.method == .get && $0.body.isEmpty })
    }

    @Test("A list that is refused is an error, and not an empty list")
    func refused() async throws {
        scene.toolkit.down("accounts:batchGet", .answer(403, "{}"))
        await #expect(throws: StoreError.unavailable(.directoryRefused)) {
            try await scene.directory.accounts(after: nil, atMost: 2)
        }
        scene.toolkit.down("accounts:batchGet", .answer(200, #"{"users": [{}]}"#))
        await #expect(throws: StoreError(ofLookup: .malformedAnswer)) {
            try await scene.directory.accounts(after: nil, atMost: 2)
        }
    }

    @Test("A user is disabled and enabled at Identity Toolkit, and only there")
    func disabling() async throws {
        _ = try await scene.signIn()
        #expect(try await scene.directory.setDisabled(true, uid: "first"))
        #expect(scene.toolkit.member("disabled", of: "first") == .bool(true))
        #expect(try await scene.signIn() == .refused(.disabled))
        #expect(try await scene.store.account(uid: "first")?.isDisabled == false)
        #expect(try await scene.directory.account(uid: "first")?.isDisabled == true)
        #expect(try await scene.directory.setDisabled(false, uid: "first"))
        #expect(try await scene.signIn() == .signedIn(uid: "first", isNew: false))
    }

    @Test("Enabling a user also undoes the record of the store")
    func enabling() async throws {
        _ = try await scene.signIn()
        _ = try await scene.store.setDisabled(true, uid: "first")
        #expect(try await scene.directory.account(uid: "first")?.isDisabled == true)
        #expect(try await scene.directory.setDisabled(false, uid: "first"))
        #expect(try await scene.directory.account(uid: "first")?.isDisabled == false)
    }

    @Test("An account without a user is disabled in the store, and an unknown one nowhere")
    func disablingWithoutUser() async throws {
        _ = try await scene.directory.makeAnonymous(candidates: ["guest"], deleteAfter: nil, at: Scene.now)
        #expect(try await scene.directory.setDisabled(true, uid: "guest"))
        #expect(try await scene.store.account(uid: "guest")?.isDisabled == true)
        #expect(try await scene.directory.setDisabled(true, uid: "unknown") == false)
        #expect(try await scene.directory.setDisabled(false, uid: "unknown") == false)
    }
}
