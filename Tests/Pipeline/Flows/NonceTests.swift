import Flows
import JOSE
import Jansson
import OpenSSL
import Providers
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Nonces")
struct NonceTests {
    private static let raw = "a-raw-nonce-of-the-application"

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }

    /// An ID token of Yahoo's with this nonce in it, posted with that one.
    private func exchange(
        in deployment: Deployment, holding nonce: String, posting posted: String
    ) async throws -> SignInOutcome {
        let token = try IDTokenBuilder.yahoo(nonce: nonce, at: deployment.clock.now).token()
        return try await deployment.exchange(
            .idToken(token, nonce: Secret(posted), accessToken: nil), of: Yahoo.id)
    }

    @Test("The nonce is the SHA-256 of its verifier, lives ten minutes, and writes nothing")
    func issued() throws {
        let deployment = try Deployment()
        let issued = try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id)
        #expect(issued.nonce == Base64URL.encode(SHA256.hash(Array(issued.verifier.secretText.utf8))))
        #expect(issued.expiresIn == 600)
        #expect(deployment.store.calls.isEmpty && deployment.peer.requests.isEmpty)
    }

    @Test("ST-12: A thousand of them are all different")
    func unique() throws {
        let deployment = try Deployment()
        let nonces = try (0..<1000).map { _ in
            try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id).nonce
        }
        #expect(Set(nonces).count == 1000)
    }

    /// A deployment whose application posts ID tokens of Yahoo without a nonce, in their first two minutes.
    private func unboundDeployment() throws -> Deployment {
        try Deployment { plan in
            plan.yahoo.nonceRule = .none
            plan.yahoo.maximumAge = .seconds(120)
        }
    }

    private func post(
        _ deployment: Deployment, nonce: String?, holding inner: JSON?, age: Int64 = 0
    ) async throws -> SignInOutcome {
        let token = try IDTokenBuilder.yahoo(nonce: "n", at: deployment.clock.now - .seconds(age))
            .setting("nonce", to: inner).token()
        return try await deployment.exchange(
            .idToken(token, nonce: nonce.map { Secret($0) }, accessToken: nil), of: Yahoo.id, client: DeploymentPlan.app
        )
    }

    @Test("Real-world 03: with nonce: none, a token without a nonce, or with one of the SDK, needs no nonce")
    func none() async throws {
        let deployment = try unboundDeployment()
        for inner in [nil, JSON.string("gX3"), .null] {
            _ = try await post(deployment, nonce: nil, holding: inner)
            deployment.clock.advance(by: .seconds(1))
        }
    }

    @Test("With nonce: none, a token is still accepted once and only in its maximal age")
    func noneIsBounded() async throws {
        let deployment = try unboundDeployment()
        _ = try await post(deployment, nonce: nil, holding: nil)
        do {
            _ = try await post(deployment, nonce: nil, holding: nil)
            Issue.record("A token was accepted twice.")
        } catch {
            #expect(Refusal(error).reason == .replayed)
        }
        do {
            _ = try await post(deployment, nonce: nil, holding: nil, age: 181)
            Issue.record("An old token was accepted.")
        } catch {
            #expect(Refusal(error).reason == .tooOld)
        }
    }

    @Test("With nonce: none, a nonce that is posted is checked")
    func noneWithNonce() async throws {
        let deployment = try unboundDeployment()
        let issued = try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id)
        await expectRefusal(JOSEError.missingClaim("nonce").refusal) {
            try await post(deployment, nonce: issued.verifier.secretText, holding: nil)
        }
        await expectRefusal(Refusal.nonceMismatch) {
            try await post(deployment, nonce: "invented", holding: .string("invented"))
        }
        _ = try await post(deployment, nonce: issued.verifier.secretText, holding: .string(issued.nonce))
    }

    @Test("A token with the nonce is accepted only with its verifier")
    func server() async throws {
        let deployment = try Deployment()
        let issued = try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id)
        let other = try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id)
        // The nonce itself, as whoever steals the token sees it.
        await expectRefusal(Refusal.nonceMismatch) {
            try await exchange(in: deployment, holding: issued.nonce, posting: issued.nonce)
        }
        await expectRefusal(JOSEError.nonceMismatch.refusal) {
            try await exchange(in: deployment, holding: issued.nonce, posting: other.verifier.secretText)
        }
        // The verifier in the token proves nothing that the hash would not.
        await expectRefusal(JOSEError.nonceMismatch.refusal) {
            try await exchange(
                in: deployment, holding: issued.verifier.secretText, posting: issued.verifier.secretText)
        }
        #expect(deployment.store.calls.isEmpty)
        _ = try await exchange(in: deployment, holding: issued.nonce, posting: issued.verifier.secretText)
        #expect(deployment.store.spentKinds == [.idToken, .nonce])
    }

    @Test("O1-07: A verifier that the server did not issue, or in another spelling, is refused")
    func madeUp() async throws {
        let deployment = try Deployment()
        let issued = try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id)
        let text = issued.verifier.secretText
        let flipped = (text.first == "A" ? "B" : "A") + text.dropFirst()
        let session = try await deployment.begin(Yahoo.id).session.secretText
        for posted in [Self.raw, flipped, text + "=", text + " ", String(text.dropLast()), text + "A", session] {
            await expectRefusal(Refusal.nonceMismatch) {
                try await exchange(in: deployment, holding: issued.nonce, posting: posted)
            }
        }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("O1-07: Without a verifier the provider is not called")
    func missing() async throws {
        let deployment = try Deployment()
        await expectRefusal(Refusal.nonceRequired) {
            try await exchange(in: deployment, holding: "n", posting: "")
        }
        for nonce in [nil, Secret("")] {
            await expectRefusal(Refusal.nonceRequired) {
                try await deployment.exchange(.oauth1Token(X.pair, nonce: nonce), of: X.id)
            }
            await expectRefusal(Refusal.nonceRequired) {
                try await deployment.exchange(.accessToken(AccessToken("t"), nonce: nonce), of: Generic.id)
            }
        }
        #expect(deployment.store.calls.isEmpty && deployment.peer.requests.isEmpty)
    }

    @Test("O1-07: A verifier is valid for ten minutes")
    func expiry() async throws {
        for (seconds, isGood) in [(599, true), (600, false)] {
            let deployment = try Deployment()
            deployment.scriptX()
            let issued = try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: X.id)
            deployment.clock.advance(by: .seconds(seconds))
            let pair = Credential.oauth1Token(X.pair, nonce: issued.verifier)
            if isGood {
                _ = try await deployment.exchange(pair, of: X.id)
            } else {
                await expectRefusal(Reason.expired) { try await deployment.exchange(pair, of: X.id) }
                #expect(deployment.peer.requests.isEmpty)
            }
        }
    }

    @Test("O1-07: A verifier of another client or for another provider is none", arguments: [Way.xPair, .yahooIDToken])
    func otherClientOrProvider(_ way: Way) async throws {
        let deployment = try Deployment()
        let flows = deployment.flows
        let otherClient = try flows.direct.issueNonce(client: DeploymentPlan.otherApp, provider: way.provider)
        let otherProvider = try flows.direct.issueNonce(client: DeploymentPlan.app, provider: Generic.id)
        for (issued, refusal) in [(otherClient, Refusal.nonceMismatch), (otherProvider, .nonceOfOtherProvider)] {
            let credential: Credential =
                way == .xPair
                ? .oauth1Token(X.pair, nonce: issued.verifier)
                : .idToken(
                    try IDTokenBuilder.yahoo(nonce: issued.nonce).token(), nonce: issued.verifier, accessToken: nil)
            await expectRefusal(refusal) {
                try await deployment.exchange(credential, of: way.provider)
            }
        }
        #expect(deployment.store.calls.isEmpty && deployment.peer.requests.isEmpty)
    }

    @Test("A verifier is valid for one sign-in, with any credential")
    func replay() async throws {
        let deployment = try Deployment()
        let issued = try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id)
        _ = try await exchange(in: deployment, holding: issued.nonce, posting: issued.verifier.secretText)
        deployment.clock.advance(by: .seconds(1))
        // Another token, a second later, with the same nonce.
        await expectRefusal(Refusal.replayed(.nonce)) {
            try await exchange(in: deployment, holding: issued.nonce, posting: issued.verifier.secretText)
        }
    }

    @Test("IDT-46: A token that is refused burns neither itself nor the nonce")
    func refusedFirst() async throws {
        let deployment = try Deployment()
        let issued = try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id)
        let good = IDTokenBuilder.yahoo(nonce: issued.nonce)
        let bad = good.setting("aud", to: .string("another"))
        let audiences = [Yahoo.clientID, Yahoo.phoneClientID]
        await expectRefusal(JOSEError.audienceMismatch(expected: audiences).refusal) {
            try await deployment.exchange(
                .idToken(bad.token(), nonce: issued.verifier, accessToken: nil), of: Yahoo.id)
        }
        #expect(deployment.store.calls.isEmpty)
        _ = try await deployment.exchange(
            .idToken(good.token(), nonce: issued.verifier, accessToken: nil), of: Yahoo.id)
    }

    @Test("With a nonce of the client the token contains the hash, in base64url or in lower-case hexadecimal")
    func client() async throws {
        let hash = SHA256.hash(Array(Self.raw.utf8))
        for nonce in [Base64URL.encode(hash), hexadecimal(hash)] {
            let deployment = try Deployment { $0.yahoo.nonceRule = .client }
            _ = try await exchange(in: deployment, holding: nonce, posting: Self.raw)
            #expect(deployment.store.spentKinds == [.idToken])
        }
    }

    @Test("EX-23: Any other spelling, the value itself, and the hash posted for it are refused")
    func clientOtherwise() async throws {
        let deployment = try Deployment { $0.yahoo.nonceRule = .client }
        let hash = SHA256.hash(Array(Self.raw.utf8))
        let encoded = Base64URL.encode(hash)
        let cases = [
            (Self.raw, Self.raw), (hexadecimal(hash).uppercased(), Self.raw), (encoded + "=", Self.raw),
            (encoded, encoded), (hexadecimal(hash), hexadecimal(hash)), (encoded, Self.raw + " "),
        ]
        for (held, posted) in cases {
            await expectRefusal(JOSEError.nonceMismatch.refusal) {
                try await exchange(in: deployment, holding: held, posting: posted)
            }
        }
        await expectRefusal(Refusal.nonceRequired) {
            try await exchange(in: deployment, holding: encoded, posting: "")
        }
    }

    @Test("With a plain nonce of the client the token contains the value")
    func clientPlain() async throws {
        let deployment = try Deployment { $0.yahoo.nonceRule = .clientPlain }
        let encoded = Base64URL.encode(SHA256.hash(Array(Self.raw.utf8)))
        await expectRefusal(JOSEError.nonceMismatch.refusal) {
            try await exchange(in: deployment, holding: encoded, posting: Self.raw)
        }
        await expectRefusal(Refusal.nonceRequired) {
            try await exchange(in: deployment, holding: "", posting: "")
        }
        _ = try await exchange(in: deployment, holding: Self.raw, posting: Self.raw)
    }

    @Test("O1-06: A posted pair requires a nonce of the server, whatever the rule for ID tokens is")
    func pairWithClientRule() async throws {
        let deployment = try Deployment { $0.yahoo.nonceRule = .clientPlain }
        deployment.scriptX()
        await expectRefusal(Refusal.nonceMismatch) {
            try await deployment.exchange(.oauth1Token(X.pair, nonce: Secret(Self.raw)), of: X.id)
        }
    }

    @Test("Without randomness there is none")
    func noRandomness() throws {
        let deployment = try Deployment()
        deployment.random.fail(atCall: 1)
        expectImmediateRefusal(RandomFailure().refusal) {
            try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id)
        }
    }
}
