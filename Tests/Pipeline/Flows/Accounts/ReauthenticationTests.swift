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

@Suite("Reauthentication")
struct ReauthenticationTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("An identity of the account mints a token that says when it was proven", arguments: Way.present)
    func baseline(_ way: Way) async throws {
        let uid = try await deployment.signIn(way.other).account.uid
        _ = try await deployment.link(way, to: uid)
        // However long ago the person signed in.
        let user = try await deployment.user(uid, signedIn: 3000)
        let proof = try await deployment.proof(way, purpose: .reauthenticate, of: user)
        let calls = deployment.store.calls.count

        let outcome = try await deployment.flows.accounts.reauthenticate(user, proof)
        #expect(
            Array(deployment.store.calls.dropFirst(calls)) == [.bearer, .factors] + way.storeCalls.dropLast() + [
                .holder
            ])
        #expect(outcome.account.uid == uid)
        #expect(!outcome.account.isNew)
        #expect(outcome.account.identity?.provider == way.provider)
        let minted = try MintedToken(outcome.token.secret).payload
        #expect(minted["uid"] == .string(uid.text))
        // X says no time.
        let shown: (String, JSON) =
            way == .xOAuth1Callback
            ? ("reauth_method", .string("prompt")) : ("reauth_time", .integer(deployment.clock.now.seconds))
        #expect(minted["claims"] == .object(["idp": .string(way.provider.text), shown.0: shown.1]))
    }

    @Test("A sign-in's token has no reauth_time")
    func signIn() async throws {
        let outcome = try await deployment.signIn(.xPair)
        #expect(try MintedToken(outcome.token.secret).payload["claims"]?["reauth_time"] == nil)
    }

    @Test("A handoff that was pushed to reauthenticate is accepted")
    func handoff() async throws {
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        let user = try await deployment.user(uid)
        let code = try await deployment.handoff(.reauthenticate, for: user)
        let outcome = try await deployment.flows.accounts.reauthenticate(user, .handoff(code))
        #expect(outcome.account.uid == uid)
        await expectRefusal(Refusal.replayed(.handoff)) {
            try await deployment.flows.accounts.reauthenticate(user, .handoff(code))
        }
    }

    @Test("An identity of another account, or of none, is a mismatch, and can still sign in")
    func userMismatch() async throws {
        _ = try await deployment.signIn(.yahooIDToken)
        for uid: UID in ["native", "somebody"] {
            let user = try await deployment.user(uid)
            let proof = try await deployment.proof(.yahooIDToken, of: user)
            await expectRefusal(Refusal.userMismatch) {
                try await deployment.flows.accounts.reauthenticate(user, proof)
            }
            #expect(try await deployment.identities(of: uid) == nil)
        }
        let owner = try await deployment.user(Person.yahooUID)
        let credential = try deployment.yahooIDToken { $0.claims["sub"] = .string("second") }
        await expectRefusal(Refusal.userMismatch) {
            try await deployment.flows.accounts.reauthenticate(
                owner,
                .credential(ExchangeRequest(client: DeploymentPlan.app, provider: Yahoo.id, credential: credential)))
        }
        #expect(try await deployment.exchange(credential, of: Yahoo.id).account.isNew)
    }

    @Test(
        "reauth_time is the time that the provider sends, but never later than the server's time",
        arguments: [-300, 0, 60])
    func time(_ seconds: Int64) async throws {
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let user = try await deployment.user("native")
        let now = deployment.clock.now.seconds
        let credential = try deployment.yahooIDToken { $0.claims["auth_time"] = .integer(now + seconds) }
        let outcome = try await deployment.flows.accounts.reauthenticate(
            user, .credential(ExchangeRequest(client: DeploymentPlan.app, provider: Yahoo.id, credential: credential)))
        let claims = try MintedToken(outcome.token.secret).payload["claims"]
        #expect(claims?["reauth_time"] == .integer(min(now, now + seconds)))
        #expect(claims?["reauth_method"] == nil)
    }

    @Test("A posted ID token without the time of the login proves no login, whatever is configured")
    func unproven() async throws {
        for evidence in [FreshLogin.Evidence.authenticationTime, .prompt] {
            let deployment = try Deployment { $0.yahoo.reauthentication = evidence }
            _ = try await deployment.link(.yahooIDToken, to: "native")
            let user = try await deployment.user("native")
            let credential = try deployment.yahooIDToken { $0.claims["auth_time"] = nil }
            await expectRefusal(Refusal.freshLoginUnproven) {
                try await deployment.flows.accounts.reauthenticate(
                    user,
                    .credential(ExchangeRequest(client: DeploymentPlan.app, provider: Yahoo.id, credential: credential))
                )
            }
        }
    }

    @Test("A login of the future is none")
    func future() async throws {
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let user = try await deployment.user("native")
        let now = deployment.clock.now
        let credential = try deployment.yahooIDToken { $0.claims["auth_time"] = .integer(now.seconds + 61) }
        await expectRefusal(JOSEError.issuedInFuture(at: now + .seconds(61), now: now).refusal) {
            try await deployment.flows.accounts.reauthenticate(
                user,
                .credential(ExchangeRequest(client: DeploymentPlan.app, provider: Yahoo.id, credential: credential))
            )
        }
    }

    @Test(
        "Neither a pair, nor an access token, nor a code of X proves a recent login",
        arguments: [Way.xPair, .genericAccessToken, .xCode])
    func absent(_ way: Way) async throws {
        _ = try await deployment.link(way, to: "native")
        let user = try await deployment.user("native")
        let proof = try await deployment.proof(way, of: user)
        let (calls, requests) = (deployment.store.calls.count, deployment.peer.requests.count)
        await expectRefusal(Refusal.freshLoginUnavailable) {
            try await deployment.flows.accounts.reauthenticate(user, proof)
        }
        #expect(Array(deployment.store.calls.dropFirst(calls)) == [.bearer, .factors])
        #expect(deployment.peer.requests.count == requests)
    }

    @Test("An ID token of a login from before the window is refused", arguments: [(361, false), (360, true)])
    func window(_ seconds: Int64, _ isGood: Bool) async throws {
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let user = try await deployment.user("native")
        let proof = AccountProof.credential(
            ExchangeRequest(
                client: DeploymentPlan.app, provider: Yahoo.id,
                credential: try deployment.yahooIDToken {
                    $0.claims["auth_time"] = .integer(deployment.clock.now.seconds - seconds)
                }))
        if isGood {
            _ = try await deployment.flows.accounts.reauthenticate(user, proof)
        } else {
            await expectRefusal(Reason.tooOld) {
                try await deployment.flows.accounts.reauthenticate(user, proof)
            }
        }
    }

    @Test("LK-08: A used credential is a replay", arguments: Way.present)
    func replay(_ way: Way) async throws {
        let uid = try await deployment.signIn(way).account.uid
        let user = try await deployment.user(uid)
        let proof = try await deployment.proof(way, purpose: .reauthenticate, of: user)
        guard case .credential(let request) = proof else { return }
        _ = try await deployment.flows.accounts.reauthenticate(user, proof)
        await expectRefusal(SignInTests.replay(of: request.credential)) {
            try await deployment.flows.accounts.reauthenticate(user, proof)
        }
    }
}
