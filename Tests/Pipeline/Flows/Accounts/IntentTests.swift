import Accounts
import Firebase
import Fixtures
import Flows
import Standards
import Stores
import Support
import Testing

@Suite("Intents")
struct IntentTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    private func untouched(_ refusal: Refusal, _ body: () async throws -> Void) async {
        let (spent, requests) = (deployment.store.spentKinds, deployment.peer.requests.count)
        await expectRefusal(refusal) { try await body() }
        #expect(deployment.store.spentKinds == spent)
        #expect(deployment.peer.requests.count == requests)
    }

    @Test("LK-09: A session that one account began to link is accepted only for that account", arguments: Way.callbacks)
    func link(_ way: Way) async throws {
        let user = try await deployment.user("native")
        let credential = try await deployment.fresh(way, purpose: .link, for: user)
        let proof = AccountProof.credential(
            ExchangeRequest(client: DeploymentPlan.app, provider: way.provider, credential: credential))
        let attacker = try await deployment.user("attacker")

        await untouched(.otherPurpose(.link, than: nil)) {
            _ = try await deployment.exchange(credential, of: way.provider)
        }
        await untouched(.otherPurpose(.link, than: .reauthenticate)) {
            _ = try await deployment.flows.accounts.reauthenticate(user, proof)
        }
        await untouched(.userMismatch.spent) {
            _ = try await deployment.flows.accounts.link(attacker, proof)
        }
        #expect(try await deployment.flows.accounts.link(user, proof).account.uid == "native")
    }

    @Test(
        "LK-09: A session to reauthenticate neither signs in nor links",
        arguments: Way.callbacks.filter(Way.present.contains))
    func reauthenticate(_ way: Way) async throws {
        _ = try await deployment.link(way, to: "native")
        let user = try await deployment.user("native")
        let credential = try await deployment.fresh(way, purpose: .reauthenticate, for: user)
        let proof = AccountProof.credential(
            ExchangeRequest(client: DeploymentPlan.app, provider: way.provider, credential: credential))
        let attacker = try await deployment.user("attacker")

        await untouched(.otherPurpose(.reauthenticate, than: nil)) {
            _ = try await deployment.exchange(credential, of: way.provider)
        }
        await untouched(.otherPurpose(.reauthenticate, than: .link)) {
            _ = try await deployment.flows.accounts.link(user, proof)
        }
        await untouched(.userMismatch.spent) {
            _ = try await deployment.flows.accounts.reauthenticate(attacker, proof)
        }
        _ = try await deployment.flows.accounts.reauthenticate(user, proof)
    }

    @Test("LK-09: A session to sign in neither links nor reauthenticates", arguments: Way.callbacks)
    func signIn(_ way: Way) async throws {
        let user = try await deployment.user("native")
        let credential = try await deployment.fresh(way)
        let proof = AccountProof.credential(
            ExchangeRequest(client: DeploymentPlan.app, provider: way.provider, credential: credential))
        await untouched(.otherPurpose(nil, than: .link)) { _ = try await deployment.flows.accounts.link(user, proof) }
        await untouched(.otherPurpose(nil, than: .reauthenticate)) {
            _ = try await deployment.flows.accounts.reauthenticate(user, proof)
        }
        _ = try await deployment.exchange(credential, of: way.provider)
    }

    @Test("Two uids that only look alike are two accounts")
    func normalForms() async throws {
        let composed = try await deployment.user("caf\u{E9}")
        let decomposed = try await deployment.user("cafe\u{301}")
        let proof = try await deployment.proof(.yahooCallback, of: composed)
        await expectRefusal(Refusal.userMismatch.spent) {
            try await deployment.flows.accounts.link(decomposed, proof)
        }
        _ = try await deployment.flows.accounts.link(composed, proof)
    }

    @Test("LK-09: A handoff of an intent is for no other use and for no other account, and is not spent by that")
    func handoff() async throws {
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let user = try await deployment.user("native")
        let attacker = try await deployment.user("attacker")
        let link = try await deployment.handoff(.link, for: user)
        let reauthentication = try await deployment.handoff(.reauthenticate, for: user)
        let signIn = try await deployment.handoffCode()

        let foreign = Reason.intentMismatch
        let others = Refusal.userMismatch.spent
        for code in [link, reauthentication] {
            await expectRefusal(foreign) { try await deployment.redeem(code) }
        }
        await expectRefusal(others) { try await deployment.flows.accounts.link(attacker, .handoff(link)) }
        await expectRefusal(others) {
            try await deployment.flows.accounts.reauthenticate(attacker, .handoff(reauthentication))
        }
        for code in [reauthentication, signIn] {
            await expectRefusal(foreign) { try await deployment.flows.accounts.link(user, .handoff(code)) }
        }
        for code in [link, signIn] {
            await expectRefusal(foreign) { try await deployment.flows.accounts.reauthenticate(user, .handoff(code)) }
        }
        // Another client, and a guess of the verifier, learn nothing of a purpose. Five failures end a code.
        let further = try await deployment.handoff(.link, for: user)
        func rejected(_ finding: String) -> Refusal {
            Refusal.handoffRejected.with(finding: finding)
        }
        await expectRefusal(rejected("the code was issued to the client \(DeploymentPlan.app)")) {
            try await deployment.redeem(further, client: DeploymentPlan.otherApp)
        }
        let several = "at least two of client_id, redirect_uri, code_verifier and intent are not those of the code"
        await expectRefusal(rejected(several)) {
            try await deployment.flows.browser.redeem(
                handoffCode: further, redirectURI: DeploymentPlan.redirectURI,
                codeVerifier: Secret(String(repeating: "w", count: 43)), client: DeploymentPlan.app)
        }
        _ = try await deployment.flows.accounts.link(user, .handoff(link))
        _ = try await deployment.flows.accounts.reauthenticate(user, .handoff(reauthentication))
        _ = try await deployment.redeem(signIn)
    }
}
