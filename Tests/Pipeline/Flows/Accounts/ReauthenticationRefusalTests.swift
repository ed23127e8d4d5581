import Accounts
import Firebase
import Fixtures
import Flows
import JOSE
import Jansson
import Minting
import Providers
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Refused reauthentications")
struct ReauthenticationRefusalTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("LK-19: A disabled account is not reauthenticated")
    func disabled() async throws {
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        let user = try await deployment.user(uid)
        let proof = try await deployment.proof(.yahooIDToken, of: user)
        let spent = deployment.store.spentKinds
        #expect(try await deployment.store.setDisabled(true, uid: uid))
        await expectRefusal(Refusal.userDisabled) {
            try await deployment.flows.accounts.reauthenticate(user, proof)
        }
        #expect(deployment.store.spentKinds == spent)
    }

    @Test("If the store does not respond, the proof is given back, unless something may have been written")
    func faults() async throws {
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        let user = try await deployment.user(uid)
        let proof = try await deployment.proof(.yahooIDToken, of: user)
        let spent = deployment.store.spentKinds
        deployment.store.fail(atCall: 4)
        await expectRefusal(StoreError.unavailable(.busy).refusal.unspent) {
            try await deployment.flows.accounts.reauthenticate(user, proof)
        }
        #expect(deployment.store.spentKinds == spent)
        _ = try await deployment.flows.accounts.reauthenticate(user, proof)
    }

    @Test("Claims that cannot be minted give the proof back")
    func minting() async throws {
        let deployment = try Deployment { $0.claimTemplates = ["firebase": [.text("x")]] }
        let user = try await deployment.user("native")
        _ = try await deployment.store.signIn(
            IncomingIdentity(identity: Person.yahoo, details: IdentityDetails(), email: nil), candidates: ["native"],
            emails: .shared, at: deployment.clock.now)
        let spent = deployment.store.spentKinds
        let proof = try await deployment.proof(.yahooIDToken, of: user)
        await expectRefusal(MintingError.reservedClaim("firebase").refusal.unspent) {
            try await deployment.flows.accounts.reauthenticate(user, proof)
        }
        #expect(deployment.store.spentKinds == spent)
    }

    @Test(
        "If Firebase is called, a user with a second factor, and a disabled or revoked one, gets no custom token",
        arguments: [true, false])
    func secondFactor(directoryIsFirebase: Bool) async throws {
        let deployment = try Deployment {
            $0.asksGoogle = true
            $0.rules.directoryIsFirebase = directoryIsFirebase
            $0.rules.checksRevocation = !directoryIsFirebase
        }
        deployment.scriptLookup(["native": [:]])
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let user = try await deployment.user("native")
        let spent = deployment.store.spentKinds
        let cases: [([String: JSON], Reason)] = [
            (["mfaInfo": .array([.object([:])])], .secondFactorRequired),
            (["disabled": .bool(true)], .userDisabled),
            (["validSince": .string(String(user.authenticatedAt.seconds + 1))], .idTokenRevoked),
        ]
        for (members, error) in cases {
            deployment.scriptLookup(["native": members])
            let proof = try await deployment.proof(.yahooIDToken, of: user)
            await expectRefusal(error) { try await deployment.flows.accounts.reauthenticate(user, proof) }
        }
        #expect(deployment.store.spentKinds == spent)
        deployment.scriptLookup(["native": [:]])
        _ = try await deployment.flows.accounts.reauthenticate(user, deployment.proof(.yahooIDToken, of: user))
    }
}
