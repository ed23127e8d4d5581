import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("ID tokens of redeemed codes")
struct RedeemedIDTokenTests {
    private let proof: Proof

    init() throws {
        proof = try Proof()
    }

    private func check(
        _ token: IDTokenBuilder, is expected: JOSEError, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await expectRefusal(expected.refusal.spent, sourceLocation: sourceLocation) {
            try await proof.redeem(token)
        }
        #expect(proof.deployment.store.spentKinds == [.authorizationCode], sourceLocation: sourceLocation)
    }

    @Test("The ID token of a code proves the identity, and nothing can be given back")
    func baseline() async throws {
        let identity = try await proof.redeem(proof.token)
        #expect(identity.provider == Yahoo.id)
        #expect(identity.subject.text == Yahoo.subject)
        #expect(identity.audienceProof == .authorizationCode)
        #expect(identity.returnable.isEmpty)
        #expect(identity.profile.name == "Ann Example")
        #expect(identity.profile.screenName == "ann")
        #expect(identity.tokens.accessToken?.secretText == Yahoo.accessToken)
        #expect(identity.tokens.refreshToken?.secretText == "refresh-token")
        #expect(identity.tokens.idToken != nil)
        #expect(identity.tokens.expiresIn == 3600)
        #expect(identity.tokens.oauthTokenSecret == nil)
        #expect(proof.deployment.store.spentKinds == [.authorizationCode, .idToken])
    }

    @Test("EX-08: The ID token reveals a code that was issued to another client")
    func otherClient() async throws {
        await check(
            proof.token.setting("aud", to: .string("another-client")),
            is: .audienceMismatch(expected: [Yahoo.clientID]))
    }

    @Test("A further client id is not an audience here, because the code was redeemed with the first one")
    func furtherClientID() async throws {
        await check(
            proof.token.setting("aud", to: .string(Yahoo.phoneClientID)),
            is: .audienceMismatch(expected: [Yahoo.clientID]))
    }

    @Test("EX-07, CB-20, CB-21: The nonce reveals an injected code")
    func otherNonce() async throws {
        await check(proof.token.setting("nonce", to: .string("the-attackers")), is: .nonceMismatch)
    }

    @Test("CB-21: A code whose ID token has no valid nonce is refused", arguments: [nil, #"["the-nonce"]"#])
    func noNonce(_ text: String?) async throws {
        await check(
            proof.token.setting("nonce", toText: text),
            is: text == nil ? .missingClaim("nonce") : .malformedClaim("nonce"))
    }

    @Test("A wrong signature, issuer or time is refused as in any ID token")
    func otherRules() async throws {
        await check(proof.token.signed(by: .foreignCurve), is: .signatureInvalid)
    }

    @Test("Only its expiry limits its age, because it comes directly from the provider")
    func age() async throws {
        let now = TestClock.start.seconds
        let old = proof.token.setting("iat", to: .integer(now - 3000)).setting("exp", to: .integer(now + 600))
        #expect(try await proof.redeem(old).subject.text == Yahoo.subject)
    }

    @Test("An expired ID token of a code is refused")
    func expired() async throws {
        let now = TestClock.start.seconds
        await check(
            proof.token.setting("iat", to: .integer(now - 3700)).setting("exp", to: .integer(now - 100)),
            is: .expired(at: NumericDate(now - 100), now: NumericDate(now)))
    }

    @Test("at_hash may be missing here; if it is present it must be right")
    func accessTokenHash() async throws {
        #expect(try await proof.redeem(proof.token.vouching(for: Yahoo.accessToken)).subject.text == Yahoo.subject)
    }

    @Test("IDT-37: An access token of another ID token is refused")
    func otherAccessToken() async throws {
        await check(proof.token.vouching(for: "another"), is: .accessTokenHashMismatch)
        #expect(proof.deployment.peer.requests(to: Yahoo.userInfo).isEmpty)
    }

    @Test("An ID token that was issued for one code is refused for a second one")
    func replay() async throws {
        let token = proof.token
        _ = try await proof.redeem(token)
        await expectRefusal(Refusal.replayed(.idToken)) {
            try await proof.redeem(token, code: "second")
        }
    }

    @Test("A nonce of this server is spent together with the ID token")
    func nonceRecord() async throws {
        _ = try await proof.redeem(proof.token, record: proof.nonceRecord())
        #expect(proof.deployment.store.calls.last == .spend([.idToken, .nonce]))
    }

    @Test("If the key cannot be fetched, the code is spent, and the error says so")
    func noNewKeys() async throws {
        // The cached keys allow to redeem the code, but do not verify its ID token.
        proof.deployment.peer.script(
            .get, Yahoo.keys, .json(try TestKeys.shared.keySet()), .status(500))
        await expectRefusal(ProviderFailure.document(.status(500)).refusal.spent) {
            try await proof.redeem(proof.token.settingHeader("kid", to: .string("rotated")))
        }
        #expect(proof.deployment.store.spentKinds == [.authorizationCode])
    }

    @Test("EX-15: Userinfo about another person is refused here as well")
    func otherUser() async throws {
        try proof.deployment.scriptYahoo(proof.token)
        proof.deployment.scriptUserInfo(Yahoo.userInfo, subject: "another")
        await expectRefusal(ProviderFailure.malformedResponse("sub").refusal) {
            try await proof.redeemAsScripted()
        }
    }
}
