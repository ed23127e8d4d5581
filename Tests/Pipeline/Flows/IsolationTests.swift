import Accounts
import Flows
import JOSE
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

@Suite("Isolation")
struct IsolationTests {
    /// Yahoo redeems the code `code-N` for person N, whose access token is `token-N` and whose nonce is `nonce-N`.
    private func script(_ deployment: Deployment) {
        let header = [HeaderField("Content-Type", "application/json")]
        deployment.peer.script(
            .post, Yahoo.token,
            ScriptedAnswer { request throws(TransportError) in
                let code = (try? request.form["code"]) ?? ""
                let number = code.drop { $0 != "-" }.dropFirst()
                let token = IDTokenBuilder.yahoo(nonce: "nonce-\(number)")
                    .setting("sub", to: .string("person-\(number)")).setting("name", to: .string("Person \(number)"))
                guard let text = try? Deployment.tokens(token, accessToken: "token-\(number)") else {
                    throw .refusedURL
                }
                await Task.yield()
                return OutboundResponse(status: 200, header: header, body: Array(text.utf8))
            })
        deployment.peer.script(
            .get, Yahoo.userInfo,
            ScriptedAnswer { request throws(TransportError) in
                let number = (request[field: "Authorization"] ?? "").drop { $0 != "-" }.dropFirst()
                let text = #"{"sub":"person-\#(number)","picture":"https://img.example/\#(number)"}"#
                return OutboundResponse(status: 200, header: header, body: Array(text.utf8))
            })
    }

    private func exchange(_ number: Int, in deployment: Deployment) async throws -> SignInOutcome {
        try await deployment.exchange(
            .authorizationCode(
                code: Secret("code-\(number)"), redirectURI: DeploymentPlan.redirectURI, codeVerifier: nil,
                nonce: Secret("nonce-\(number)")),
            of: Yahoo.id)
    }

    @Test("MT-09: Two hundred concurrent users each get their own account, token and profile")
    func atOnce() async throws {
        let deployment = try Deployment()
        script(deployment)
        let key = try TestKeys.shared.account.publicKey
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let outcome = try await exchange(number, in: deployment)
                    let uid: UID = "yahoo.com:person-\(number)"
                    #expect(outcome.account.uid == uid)
                    #expect(outcome.account.isNew)
                    #expect(outcome.account.identity?.profile.name == "Person \(number)")
                    #expect(outcome.account.identity?.profile.picture == "https://img.example/\(number)")
                    #expect(outcome.providerTokens?.accessToken?.secretText == "token-\(number)")
                    let minted = try MintedToken(outcome.token.secret)
                    #expect(minted.payload["uid"] == .string(uid.text))
                    #expect(minted.isSigned(by: key))
                }
            }
            try await group.waitForAll()
        }
        #expect(deployment.peer.requests(to: Yahoo.token).count == 200)
    }

    @Test("MT-08: A user who signs in a hundred times has one uid, and gets a new token each time")
    func again() async throws {
        let deployment = try Deployment()
        var tokens: Set<String> = []
        for _ in 0..<100 {
            let outcome = try await deployment.exchange(deployment.yahooIDToken(), of: Yahoo.id)
            #expect(outcome.account.uid == Way.yahooIDToken.uid)
            #expect(outcome.account.isNew == tokens.isEmpty)
            let minted = try MintedToken(outcome.token.secret)
            #expect(minted.payload["iat"] == .integer(deployment.clock.now.seconds))
            tokens.insert(outcome.token.secret.secretText)
            deployment.clock.advance(by: .seconds(1))
        }
        #expect(tokens.count == 100)
    }

    @Test("The failure of one sign-in does not affect another")
    func failures() async throws {
        let deployment = try Deployment()
        script(deployment)
        let successes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    // Every second one posts the nonce of the one before.
                    let nonce = number % 2 == 0 ? number : number - 1
                    let outcome = try? await deployment.exchange(
                        .authorizationCode(
                            code: Secret("code-\(number)"), redirectURI: DeploymentPlan.redirectURI,
                            codeVerifier: nil, nonce: Secret("nonce-\(nonce)")),
                        of: Yahoo.id)
                    return outcome?.account.uid.text == "yahoo.com:person-\(number)"
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 50)
    }

    @Test("IDT-39: A token that one client used is a replay for every other")
    func otherClient() async throws {
        let deployment = try Deployment { $0.yahoo.nonceRule = .clientPlain }
        let credential = Credential.idToken(
            try IDTokenBuilder.yahoo(nonce: "nonce").token(), nonce: Secret("nonce"), accessToken: nil)
        _ = try await deployment.exchange(credential, of: Yahoo.id)
        await expectRefusal(Refusal.replayed(.idToken)) {
            try await deployment.exchange(credential, of: Yahoo.id, client: DeploymentPlan.otherApp)
        }
    }

    @Test("IDT-41: A token whose signature was rewritten is a replay for the whole flows")
    func rewrittenSignature() async throws {
        let deployment = try Deployment { $0.yahoo.nonceRule = .clientPlain }
        let text = try IDTokenBuilder.yahoo(nonce: "nonce").compact()
        let rewritten = try MalleatedSignature.of(text)
        _ = try await deployment.exchange(
            .idToken(UnverifiedIDToken(text), nonce: Secret("nonce"), accessToken: nil), of: Yahoo.id)
        await expectRefusal(Refusal.replayed(.idToken)) {
            try await deployment.exchange(
                .idToken(UnverifiedIDToken(rewritten), nonce: Secret("nonce"), accessToken: nil), of: Yahoo.id)
        }
    }

    @Test("IDT-50, X2-08: Two users with one e-mail address have two accounts, at one provider and at two")
    func sameAddress() async throws {
        let deployment = try Deployment()
        let first = try await deployment.exchange(
            deployment.yahooIDToken { $0.claims["email"] = .string("dev@example.org") }, of: Yahoo.id)
        let second = try await deployment.exchange(
            deployment.yahooIDToken {
                $0.claims["email"] = .string("dev@example.org")
                $0.claims["sub"] = .string("another")
            }, of: Yahoo.id)
        let third = try await deployment.exchange(Way.xCode.credential(in: deployment), of: X.id)
        #expect(third.account.identity?.profile.email == "dev@example.org")
        #expect(Set([first, second, third].map(\.account.uid)).count == 3)
    }
}
