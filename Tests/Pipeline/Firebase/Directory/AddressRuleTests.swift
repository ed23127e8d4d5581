import Firebase
import Fixtures
import Jansson
import Standards
import Stores
import Testing

@Suite("The rules of addresses in Firebase's directory")
struct AddressRuleTests {
    @Test(
        "Every rule holds, whether or not sign-ins write the profile, in a tenant and outside",
        arguments: AddressRule.all)
    func rules(rule: AddressRule) async throws {
        for syncsProfile in [false, true] {
            for tenantID in [nil, "tenant-a1b2c"] {
                let scene = try Scene(
                    syncsProfile: syncsProfile, providers: ["yahoo.com", "twitter.com", "google.com"])
                try await rule.check(
                    AddressScene(scene.directory.of(tenantID: tenantID)) {
                        scene.toolkit.put($0)
                    } addPhone: {
                        scene.toolkit.put($0, ["phoneNumber": .string("+15550100")])
                    })
            }
        }
    }

    @Test("A merge takes the address that the other user has at Firebase, and none that a third user has")
    func atFirebase() async throws {
        for third: UID? in [nil, "third"] {
            let scene = try Scene()
            try await scene.signIn(candidates: ["first"])
            try await scene.signIn(Scene.x, email: "old@example.com", candidates: ["second"])
            let members: [String: JSON] = ["email": .string("ann@example.com"), "emailVerified": .bool(true)]
            scene.toolkit.put("second", members)
            // The last lookup of the merge sees the third user.
            if let third { scene.toolkit.before("accounts:update") { $0.put(third, members) } }
            guard case .merged(let account) = try await scene.merge("second", into: "first") else {
                Issue.record("They were not merged.")
                return
            }
            #expect(account.email == (third == nil ? EmailAddress("ann@example.com") : nil))
        }
    }

    @Test("A merge does not change the address that the remaining user has at Firebase")
    func kept() async throws {
        let scene = try Scene()
        try await scene.signIn(candidates: ["first"])
        scene.toolkit.put("first", ["email": .string("own@example.com"), "emailVerified": .bool(true)])
        try await scene.signIn(Scene.x, email: "ann@example.com", candidates: ["second"])
        _ = try await scene.merge("second", into: "first")
        #expect(
            try await scene.signIn(Scene.yahoo2, email: "ann@example.com", candidates: ["third"])
                == .signedIn(uid: "third", isNew: true))
    }

    @Test(
        "A link does not take an address that its user or another one has at Firebase", arguments: ["first", "native"])
    func link(owner: UID) async throws {
        let scene = try Scene()
        try await scene.signIn(candidates: ["first"])
        let email = owner == "first" ? "own@example.com" : "ann@example.com"
        scene.toolkit.put(owner, ["email": .string(email), "emailVerified": .bool(true)])
        _ = try await scene.directory.link(
            scene.arrival(Scene.x, email: "ann@example.com"), to: "first", at: Scene.now)
        #expect(try await scene.store.account(uid: "first")?.email == nil)
    }

    @Test("Unlinking deletes the written address at Firebase, and no address that the application has set")
    func written() async throws {
        for (syncsProfile, expected) in [(true, nil), (false, JSON.string("ann@example.com"))] {
            let scene = try Scene(syncsProfile: syncsProfile)
            try await scene.signIn(email: "ann@example.com", candidates: ["first"])
            scene.toolkit.put("first", ["email": .string("ann@example.com"), "emailVerified": .bool(true)])
            _ = try await scene.link(Scene.x, to: "first")
            _ = try await scene.unlink("yahoo.com", from: "first")
            #expect(scene.toolkit.member("email", of: "first") == expected)
        }
    }
}
