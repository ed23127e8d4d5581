import Accounts
import Fixtures
import Flows
import Jansson
import Standards
import Stores
import Support
import Testing

@Suite("Users of a second factor")
struct SecondFactorTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    private func withSecondFactor(_ token: inout IDTokenBuilder) {
        token.claims["firebase"] = IDTokenBuilder.firebaseObject(changing: ["sign_in_second_factor": .string("phone")])
    }

    @Test("Users with a second factor neither link nor reauthenticate, because the provider would bypass it")
    func linkAndReauthenticate() async throws {
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let user = try await deployment.user("native", withSecondFactor)
        let spent = deployment.store.spentKinds
        // The user has signed in with the SDK of Firebase.
        #expect(Refusal.firebaseFactorEnrolled.description.contains("link and reauthenticate with the "))
        for way in [Way.yahooIDToken, .xCode] {
            let proof = try await deployment.proof(way, of: user)
            await expectRefusal(Refusal.firebaseFactorEnrolled) {
                try await deployment.flows.accounts.link(user, proof)
            }
            await expectRefusal(Refusal.firebaseFactorEnrolled) {
                try await deployment.flows.accounts.reauthenticate(user, proof)
            }
        }
        #expect(deployment.store.spentKinds == spent)
    }

    @Test("Accounts of such users neither take over another nor are merged away")
    func merge() async throws {
        _ = try await deployment.signIn(.yahooIDToken)
        _ = try await deployment.signIn(.xPair)
        for isCaller in [true, false] {
            let caller = try await deployment.user(Person.yahooUID) { if isCaller { withSecondFactor(&$0) } }
            let other = try deployment.bearer(Person.xUID) { if !isCaller { withSecondFactor(&$0) } }
            await expectRefusal(Refusal.firebaseFactorEnrolled) {
                try await deployment.flows.accounts.merge(
                    caller, MergeRequest(client: DeploymentPlan.app, proof: .idToken(other)))
            }
        }
        #expect(!deployment.store.spentKinds.contains(.firebaseIDToken))
        #expect(try await deployment.identities(of: Person.xUID) == [Person.x])
    }

    @Test("They may unlink, and go")
    func others() async throws {
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let user = try await deployment.user("native", withSecondFactor)
        _ = try await deployment.flows.accounts.unlink(Yahoo.id, from: user, client: nil)
        _ = try await deployment.flows.accounts.remove(user, client: nil)
    }
}
