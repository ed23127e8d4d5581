import Accounts
import Firebase
import Fixtures
import Flows
import Jansson
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Linking")
struct LinkTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("An identity joins the caller's account, and from then on either signs in there", arguments: Way.allCases)
    func baseline(_ way: Way) async throws {
        let uid = try await deployment.signIn(way.other).account.uid
        let user = try await deployment.user(uid)
        let proof = try await deployment.proof(way, of: user)
        let calls = deployment.store.calls.count

        let outcome = try await deployment.flows.accounts.link(user, proof)
        #expect(
            Array(deployment.store.calls.dropFirst(calls)) == [.bearer, .factors] + way.storeCalls.dropLast() + [.link])
        #expect(outcome.account.uid == uid)
        #expect(Set(outcome.account.identities.map(\.identity)) == [way.identity, way.other.identity])
        #expect(outcome.identity.provider == way.provider)
        #expect(outcome.identity.audienceProof == way.proof)

        for each in [way, way.other] {
            let signedIn = try await deployment.signIn(each).account
            #expect(signedIn.uid == uid)
            #expect(!signedIn.isNew)
        }
        #expect(deployment.peer.unscripted.isEmpty)
    }

    @Test("A handoff that was pushed to link joins as well", arguments: [Yahoo.id, X.id])
    func handoff(_ provider: ProviderID) async throws {
        let user = try await deployment.user("native")
        let code = try await deployment.handoff(.link, for: user, provider: provider)
        let outcome = try await deployment.flows.accounts.link(user, .handoff(code))
        #expect(outcome.account.identities.map(\.identity.provider) == [provider])
        #expect(outcome.signIn.providerTokens?.accessToken != nil)
        await expectRefusal(Refusal.replayed(.handoff)) {
            try await deployment.flows.accounts.link(user, .handoff(code))
        }
    }

    @Test("The provider's tokens go to a client that may have them, and to no other")
    func providerTokens() async throws {
        let app = try await deployment.link(.yahooCode, to: "one")
        #expect(app.signIn.providerTokens?.accessToken?.secretText == Yahoo.accessToken)
        _ = try await deployment.flows.accounts.unlink(Yahoo.id, from: deployment.user("one"), client: nil)
        let other = try await deployment.link(.yahooCode, to: "two", client: DeploymentPlan.yahooApp)
        #expect(other.signIn.providerTokens == nil)
    }

    @Test("Linking the same identity again changes nothing, and each proof can be used once")
    func repeated() async throws {
        let first = try await deployment.link(.xPair, to: "native")
        let again = try await deployment.link(.xPair, to: "native")
        #expect(again.account == first.account)
        #expect(again.account.identities.map(\.identity) == [Person.x])
    }

    @Test("LK-06, LK-15: An identity of another account is a conflict, and nothing moves", arguments: Way.allCases)
    func taken(_ way: Way) async throws {
        let holder = try await deployment.signIn(way).account.uid
        let anonymous = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        for uid: UID in ["native", anonymous] {
            let conflict = try await deployment.linkConflict(way, to: uid)
            #expect(conflict.kind == .credentialAlreadyInUse(by: holder))
            #expect(try await deployment.identities(of: uid) == [])
        }
        #expect(try await deployment.identities(of: holder) == [way.identity])
        #expect(try await deployment.store.account(uid: anonymous)?.isAnonymous == true)
        #expect(try await deployment.signIn(way).account.uid == holder)
    }

    @Test("A second identity of one provider is refused, and the credential stays usable")
    func providerTaken() async throws {
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let spent = deployment.store.spentKinds
        let user = try await deployment.user("native")
        let credential = try deployment.yahooIDToken { $0.claims["sub"] = .string("somebody-else") }
        let proof = AccountProof.credential(
            ExchangeRequest(client: DeploymentPlan.app, provider: Yahoo.id, credential: credential))
        await expectRefusal(Refusal.providerAlreadyLinked) {
            try await deployment.flows.accounts.link(user, proof)
        }
        #expect(try await deployment.identities(of: "native") == [Person.yahoo])
        #expect(deployment.store.spentKinds == spent)
        let outcome = try await deployment.exchange(credential, of: Yahoo.id)
        #expect(outcome.account.uid.text == "yahoo.com:somebody-else")
    }

    @Test("LK-08: A credential that was used to link or to sign in is a replay", arguments: Way.allCases)
    func replay(_ way: Way) async throws {
        let user = try await deployment.user("native")
        let proof = try await deployment.proof(way, of: user)
        guard case .credential(let request) = proof else { return }
        _ = try await deployment.flows.accounts.link(user, proof)
        await expectRefusal(SignInTests.replay(of: request.credential)) {
            try await deployment.flows.accounts.link(user, proof)
        }
        // A session of this purpose is nothing to sign in with.
        guard request.credential.type != .callback else { return }
        let credential = try await deployment.fresh(way)
        _ = try await deployment.exchange(credential, of: way.provider)
        await expectRefusal(SignInTests.replay(of: credential)) {
            try await deployment.flows.accounts.link(
                user,
                .credential(ExchangeRequest(client: DeploymentPlan.app, provider: way.provider, credential: credential))
            )
        }
    }

    @Test("LK-08: A proof of another audience, or of another client's nonce, is refused as at exchange")
    func foreign() async throws {
        let user = try await deployment.user("native")
        func link(_ credential: Credential, of provider: ProviderID = Yahoo.id) async throws {
            _ = try await deployment.flows.accounts.link(
                user,
                .credential(ExchangeRequest(client: DeploymentPlan.app, provider: provider, credential: credential))
            )
        }
        let audience = try deployment.yahooIDToken { $0.claims["aud"] = .string("another-application") }
        let error = await refusal { try await deployment.exchange(audience, of: Yahoo.id) }
        await expectRefusal(try #require(error)) { try await link(audience) }
        await expectRefusal(Refusal.nonceMismatch) {
            try await link(deployment.yahooIDToken(client: DeploymentPlan.otherApp))
        }
        await expectRefusal(Refusal.audienceUnverifiable) {
            try await link(.accessToken(AccessToken(Yahoo.accessToken), nonce: nil))
        }
        #expect(try await deployment.identities(of: "native") == nil)
    }
}
