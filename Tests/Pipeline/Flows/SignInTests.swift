import Accounts
import Exchange
import Firebase
import Flows
import Jansson
import Minting
import OpenSSL
import Providers
import Standards
internal import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Sign-ins")
struct SignInTests {
    @Test("Every valid credential gets a custom token for its user", arguments: Way.allCases)
    func baseline(_ way: Way) async throws {
        let deployment = try Deployment()
        let credential = try await way.credential(in: deployment)
        #expect(deployment.store.calls.isEmpty)
        let outcome = try await deployment.exchange(credential, of: way.provider)
        #expect(outcome.account.uid == way.uid)
        #expect(outcome.account.isNew)
        #expect(outcome.account.identity?.provider == way.provider)
        #expect(outcome.account.identity?.audienceProof == way.proof)
        #expect(outcome.token.uid == outcome.account.uid)
        #expect(outcome.token.expiresIn == 300)
        let minted = try MintedToken(outcome.token.secret)
        #expect(try minted.isSigned(by: TestKeys.shared.account.publicKey))
        #expect(minted.payload["uid"] == .string(way.uid.text))
        #expect(minted.payload["claims"]?["idp"] == .string(way.provider.text))
        #expect(deployment.store.calls == way.storeCalls)
        #expect(deployment.peer.unscripted.isEmpty)
    }

    /// In which room a second use is found out.
    static func replay(of credential: Credential) -> Refusal {
        switch credential.type {
        case .callback: .replayed(.session)
        case .authorizationCode: .replayed(.authorizationCode)
        case .oauth1Token, .accessToken: .replayed(.nonce)
        default: .replayed(.idToken)
        }
    }

    @Test("A used credential is a replay, whatever its type", arguments: Way.allCases)
    func replay(_ way: Way) async throws {
        let deployment = try Deployment()
        let credential = try await way.credential(in: deployment)
        _ = try await deployment.exchange(credential, of: way.provider)
        let asked = deployment.peer.requests.count
        await expectRefusal(Self.replay(of: credential)) {
            try await deployment.exchange(credential, of: way.provider)
        }
        #expect(deployment.peer.requests.count == asked)
    }

    @Test("EX-02, IDT-40, O1-06, CB-05: Of fifty parallel copies of a credential one signs in", arguments: Way.allCases)
    func parallel(_ way: Way) async throws {
        let deployment = try Deployment()
        let credential = try await way.credential(in: deployment)
        let successes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { (try? await deployment.exchange(credential, of: way.provider)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 1)
        #expect(deployment.peer.requests(to: way.tokenEndpoint).count <= 1)
    }

    @Test("The second sign-in finds the account of the first", arguments: Way.allCases)
    func again(_ way: Way) async throws {
        let deployment = try Deployment()
        let first = try await deployment.exchange(way.credential(in: deployment, code: "1"), of: way.provider)
        deployment.clock.advance(by: .seconds(1))
        let second: SignInOutcome
        if way == .yahooCode || way == .yahooIDToken || way == .genericCode {
            // Another ID token, since it is a second later.
            second = try await deployment.exchange(way.credential(in: deployment, code: "2"), of: way.provider)
        } else {
            deployment.peer.script(.post, X.requestToken, .form(X.temporary("second")))
            let credential = try await secondCredential(way, in: deployment)
            second = try await deployment.exchange(credential, of: way.provider)
        }
        #expect(!second.account.isNew)
        #expect(second.account.uid == first.account.uid)
        #expect(second.token.secret.secretText != first.token.secret.secretText)
    }

    @Test("An ID token of a known user causes one query of the store")
    func oneQuestion() async throws {
        let deployment = try Deployment()
        let way = Way.yahooIDToken
        _ = try await deployment.exchange(way.credential(in: deployment, code: "1"), of: way.provider)
        deployment.clock.advance(by: .seconds(1))
        let credential = try await way.credential(in: deployment, code: "2")
        let asked = deployment.store.calls.count
        _ = try await deployment.exchange(credential, of: way.provider)
        #expect(deployment.store.calls.count == asked + 1)
    }

    /// As ``Way/credential(in:client:code:)``, with another request token of X's.
    private func secondCredential(_ way: Way, in deployment: Deployment) async throws -> Credential {
        guard way == .xOAuth1Callback else { return try await way.credential(in: deployment, code: "2") }
        let flow = try await deployment.begin(X.id, flow: "oauth1")
        return .callback(session: flow.session, callbackURL: flow.callback(verifier: "2"))
    }

    @Test("X's two protocols and its posted pair are one person with one uid")
    func oneUserOfX() async throws {
        let deployment = try Deployment()
        var uids: Set<String> = []
        for way in [Way.xOAuth1Callback, .xOAuth2Callback, .xPair, .xCode] {
            let code = "code of \(way)"
            let outcome = try await deployment.exchange(way.credential(in: deployment, code: code), of: X.id)
            #expect(outcome.account.identity?.subject.text == X.userID)
            uids.insert(outcome.account.uid.text)
        }
        #expect(uids == ["twitter.com:" + X.userID])
    }

    @Test("The provider's tokens go to the client that may have them")
    func providerTokens() async throws {
        let deployment = try Deployment()
        let outcome = try await deployment.exchange(Way.yahooCode.credential(in: deployment), of: Yahoo.id)
        let tokens = try #require(outcome.providerTokens)
        #expect(tokens.accessToken?.secretText == Yahoo.accessToken)
        #expect(tokens.refreshToken?.secretText == "refresh-token")
        #expect(tokens.idToken != nil)
    }

    @Test("X2-10: And to no other")
    func noProviderTokens() async throws {
        let deployment = try Deployment()
        let client = DeploymentPlan.yahooApp
        let outcome = try await deployment.exchange(
            Way.yahooCode.credential(in: deployment, client: client), of: Yahoo.id, client: client)
        #expect(outcome.providerTokens == nil)
        let payload = try MintedToken(outcome.token.secret).payload
        #expect(!"\(payload)".contains(Yahoo.accessToken))
    }

    @Test("How long a token lives is the client's setting")
    func lifetime() async throws {
        let deployment = try Deployment {
            $0.clients = [DeploymentPlan.client(DeploymentPlan.app, tokenLifetime: .seconds(60))]
        }
        let outcome = try await deployment.exchange(deployment.yahooIDToken(), of: Yahoo.id)
        #expect(outcome.token.expiresIn == 60)
    }

    @Test("An ID token with the access token that it vouches for brings the profile of both")
    func profile() async throws {
        let deployment = try Deployment()
        deployment.scriptUserInfo(Yahoo.userInfo, subject: Yahoo.subject)
        let credential = try deployment.yahooIDToken(accessToken: AccessToken(Yahoo.accessToken)) {
            $0 = $0.vouching(for: Yahoo.accessToken)
        }
        let profile = try await deployment.exchange(credential, of: Yahoo.id).account.identity?.profile
        #expect(profile?.email == "ann@example.org")
        #expect(profile?.picture == "https://img.example/p.png")
    }

    @Test("The key signs, or readiness says that it does not")
    func readiness() async throws {
        try await Deployment().flows.checkSigner()
        let deployment = try Deployment { $0.signer = .overloaded() }
        await #expect(throws: MintingError.overloaded) { try await deployment.flows.checkSigner() }
    }
}
