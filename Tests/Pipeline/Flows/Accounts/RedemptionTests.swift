import Accounts
import Firebase
import Flows
import Jansson
import Minting
import Standards
internal import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Redeeming for a client")
struct RedemptionTests {
    private static let session = ScriptedAnswer.json(
        #"{"idToken":"firebase-id-token","refreshToken":"firebase-refresh-token","expiresIn":"3600","isNewUser":true}"#)

    private func deployment(_ answer: ScriptedAnswer, tenantID: String? = nil) throws -> Deployment {
        let deployment = try Deployment { plan in
            plan.clients = [DeploymentPlan.client(DeploymentPlan.app, returnsFirebaseSession: true, tenantID: tenantID)]
        }
        deployment.peer.script(.post, Google.redemption, answer)
        return deployment
    }

    @Test("A client that redeems gets Firebase's own tokens, for the custom token that was minted")
    func baseline() async throws {
        let deployment = try deployment(Self.session)
        let outcome = try await deployment.signIn(.xPair)
        #expect(outcome.firebaseSession?.idToken.secretText == "firebase-id-token")
        #expect(outcome.firebaseSession?.refreshToken.secretText == "firebase-refresh-token")
        #expect(outcome.firebaseSession?.expiresIn == .seconds(3600))
        let request = try #require(deployment.peer.requests(to: Google.redemption).first)
        let body = try JSON.parse(request.body)
        #expect(body["token"]?.string == outcome.token.secret.secretText)
        #expect(body["tenantId"] == nil)
        #expect(try request.query["key"] == "api-key")
    }

    @Test("So it does for an anonymous account, a reauthentication and a handoff")
    func everyWay() async throws {
        let deployment = try deployment(Self.session)
        let anonymous = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app)
        #expect(anonymous.firebaseSession != nil)
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        let user = try await deployment.user(uid)
        let again = try await deployment.flows.accounts.reauthenticate(user, deployment.proof(.yahooIDToken, of: user))
        #expect(again.firebaseSession != nil)
        #expect(try await deployment.redeem(deployment.handoffCode()).firebaseSession != nil)
    }

    @Test("It is redeemed in the tenant of the client")
    func tenant() async throws {
        let deployment = try deployment(Self.session, tenantID: "tenant-1")
        let outcome = try await deployment.signIn(.xPair)
        let request = try #require(deployment.peer.requests(to: Google.redemption).first)
        #expect(try JSON.parse(request.body)["tenantId"] == .string("tenant-1"))
        #expect(try MintedToken(outcome.token.secret).payload["tenant_id"] == .string("tenant-1"))
    }

    @Test("For a client that does not redeem, the custom token is not redeemed")
    func other() async throws {
        let deployment = try Deployment()
        #expect(try await deployment.signIn(.xPair).firebaseSession == nil)
        #expect(deployment.peer.requests(to: Google.redemption).isEmpty)
    }

    @Test(
        "A refusal of Firebase is a failed sign-in",
        arguments: [
            (ScriptedAnswer.status(500), IdentityToolkitError.unavailable(status: 500)),
            (
                .failure(.timedOut(host: "toolkit", requestSent: true)),
                .unreachable(.timedOut(host: "toolkit", requestSent: true))
            ),
            (
                .json(#"{"error":{"code":400,"message":"INVALID_CUSTOM_TOKEN : no"}}"#, status: 400),
                .invalidCustomToken(says: "INVALID_CUSTOM_TOKEN : no")
            ),
            (.json(#"{"error":{"code":400,"message":"CREDENTIAL_MISMATCH"}}"#, status: 400), .credentialMismatch),
            (.json(#"{"error":{"code":400,"message":"USER_DISABLED"}}"#, status: 400), .userDisabled),
            (.json(#"{"idToken":"t"}"#), .malformedAnswer),
        ])
    func refused(_ answer: ScriptedAnswer, _ error: IdentityToolkitError) async throws {
        let deployment = try deployment(answer)
        let credential = try await deployment.fresh(.xPair)
        await expectRefusal(error.refusal.spent) {
            try await deployment.exchange(credential, of: X.id)
        }
        await expectRefusal(SignInTests.replay(of: credential)) {
            try await deployment.exchange(credential, of: X.id)
        }
    }

    @Test(
        "After a temporary refusal of Firebase, or a request that was not received, the credential stays usable",
        arguments: [
            (ScriptedAnswer.status(503), IdentityToolkitError.unavailable(status: 503)), (.status(429), .busy()),
            (.failure(.unreachable(host: "toolkit")), .unreachable(.unreachable(host: "toolkit"))),
        ])
    func refusedForNow(_ answer: ScriptedAnswer, _ error: IdentityToolkitError) async throws {
        let deployment = try deployment(answer)
        let credential = try await deployment.fresh(.yahooIDToken)
        await expectRefusal(error.refusal.unspent) {
            try await deployment.exchange(credential, of: Yahoo.id)
        }
        deployment.peer.script(.post, Google.redemption, Self.session)
        #expect(try await deployment.exchange(credential, of: Yahoo.id).firebaseSession != nil)
    }
}
