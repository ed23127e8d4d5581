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
        let isOfIssuer =
            switch expected {
            case .nonceMismatch, .authenticationTooOld: false
            default: true
            }
        let refusal = isOfIssuer ? expected.refusal.ofIssuedToken : expected.refusal.spent
        await expectRefusal(refusal, sourceLocation: sourceLocation) {
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

    @Test(
        "A token of the wrong form is the provider's fault, and the operator reads what it has and what it needs",
        arguments: [
            ("sub", .integer(42), .malformedClaim("sub"), "has sub as a number, and must have it as a text"),
            (
                "sub", .string(""), .malformedClaim("sub"),
                "has sub as an empty text, and must have it as a text of 1 to 255 octets"
            ),
            ("sub", .string(" "), .malformedClaim("sub"), "has sub as a text of spaces"),
            ("aud", .array([]), .malformedClaim("aud"), "has aud as an empty list"),
            (
                "exp", .string("1799999999"), .malformedClaim("exp"),
                "has exp as a text, and must have it as a number of seconds"
            ),
            (
                "aud", .integer(12345), .malformedClaim("aud"),
                "has aud as a number, and must have it as a text, or a list"
            ),
            (
                "nonce", nil, .missingClaim("nonce"),
                "The provider does not return the nonce of the authorization request (OpenID Connect Core section 3.1.2.1), or the "
                    + "application that made the request sent none. A provider that never returns it needs protocol: oauth2"
            ),
            (
                "nonce", nil, .missingClaim("nonce"),
                "sends none, write nonce: none with max_age: 2m, and clock_skew of at most 60s"
            ),
            (
                "iss", .string("http://api.login.yahoo.com"), .issuerMismatch(expected: [Yahoo.issuer]),
                "names the issuer http://api.login.yahoo.com. An issuer is a URL with https"
            ),
            (
                "iss", .string("acme.com"), .issuerMismatch(expected: [Yahoo.issuer]),
                "names the issuer acme.com. An issuer is a URL with https"
            ),
        ] as [(String, JSON?, JOSEError, String)])
    func malformed(_ claim: String, _ value: JSON?, _ error: JOSEError, _ advice: String) async throws {
        try await checkAdvice(proof.token.setting(claim, to: value), is: error, advice)
    }

    @Test("An access token in place of the ID token is refused by its type")
    func otherType() async throws {
        try await checkAdvice(
            proof.token.settingHeader("typ", to: .string("at+jwt")), is: .typeNotAllowed, "an access token (at+jwt)")
    }

    @Test("A token of an unknown key, or of an algorithm that the metadata does not name, has advice as well")
    func otherKeyOrAlgorithm() async throws {
        try await checkAdvice(
            proof.token.settingHeader("kid", to: .string("x")), is: .unknownKey, "token-exchange doctor")
        let named = try #require(ClaimsMismatch(otherAlgorithm: "RS256", named: [.es256]).advice)
        #expect(named.contains("signed with RS256") && named.contains("names only ES256"))
        #expect(ClaimsMismatch(otherAlgorithm: "RS256", named: []).advice?.contains("names none") == true)
        let symmetric = try #require(ClaimsMismatch(otherAlgorithm: "HS256", named: [.es256]).advice)
        #expect(symmetric.contains("signed with HS256, that is with the client secret"))
        #expect(symmetric.contains("write protocol: oauth2, with endpoints and members"))
        let unknown = ClaimsMismatch(otherAlgorithm: "HS257", named: [.es256]).advice
        #expect(unknown?.hasPrefix("Choose one of RS256, ") == true && unknown?.contains("HS257") == false)
    }

    @Test("An application that sent a code is told that the operator must act, and is not asked for another token")
    func description() {
        let expired = JOSEError.expired(at: TestClock.start, now: TestClock.start).refusal
        #expect(expired.description == "The ID token has expired. Sign in at the provider again.")
        #expect(
            expired.ofIssuedToken.description
                == "The provider sent a token that this server refuses. The operator must act, see the server log."
        )
        #expect(expired.ofIssuedToken.reason == .expired && expired.ofIssuedToken.finding == expired.finding)
        let old = JOSEError.authenticationTooOld(at: TestClock.start, now: TestClock.start)
        #expect(old.refusal.description.hasPrefix("The login at the provider is older than max_age allows."))
        #expect(old.advice?.hasPrefix("If each sign-in with max_age ends so, the provider ignores it") == true)
    }

    @Test("Neither an injected code nor a posted token of the wrong form is a warning")
    func notOfTheProvider() async throws {
        let injected = await refusal { try await proof.redeem(proof.token.setting("nonce", to: .string("other"))) }
        #expect(injected?.reason == .nonceMismatch && injected?.concernsOperator == false)
        let posted = await refusal { try await proof.verify(proof.token.setting("sub", to: .integer(42))) }
        #expect(posted?.reason == .malformedToken && posted?.concernsOperator == false)
    }

    @Test("A posted access token is told as one by its scopes, and the ID token is asked for")
    func accessToken() async throws {
        let token = proof.token.setting("aud", to: .string("https://op.example")).setting("nonce", to: nil)
        for claim in ["scope", "scp"] {
            let posted = await refusal { try await proof.verify(token.setting(claim, to: .string("openid"))) }
            let advice = (posted?.cause as? any AdvisingCause)?.advice
            #expect(posted?.reason == .audienceMismatch && posted?.description.contains("Send an ID token") == true)
            #expect(advice?.contains("has scopes, as an access token has, and no nonce") == true)
        }
        for other in [token, proof.token.setting("aud", to: .string("a")).setting("scope", to: .string("openid"))] {
            let refused = await refusal { try await proof.verify(other) }
            #expect((refused?.cause as? any AdvisingCause)?.advice?.contains("Add to client_ids") == true)
        }
    }

    private func checkAdvice(
        _ token: IDTokenBuilder, is error: JOSEError, _ advice: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = await refusal { try await proof.redeem(token) }
        #expect(found == error.refusal.ofIssuedToken, sourceLocation: sourceLocation)
        #expect(found?.finding == error.sentence && found?.concernsOperator == true, sourceLocation: sourceLocation)
        let text = (found?.cause as? any AdvisingCause)?.advice ?? ""
        #expect(text.contains(advice), sourceLocation: sourceLocation)
    }

    private func refusal(_ verify: () async throws -> VerifiedIdentity) async -> Refusal? {
        do {
            _ = try await verify()
            return nil
        } catch {
            return Refusal(error)
        }
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

    @Test(
        "The advice about the audience leads to client_id, and not to client_ids, which does not count here",
        arguments: ["urn:myorg:camper", "00000000-0000-0000-0000-0000441D6D17", Yahoo.phoneClientID])
    func audienceAdvice(_ audience: String) async throws {
        let token = proof.token.setting("aud", to: .string(audience))
        let error = JOSEError.audienceMismatch(expected: [Yahoo.clientID])
        try await checkAdvice(
            token, is: error,
            "The token names the audience \(audience), and OpenID Connect Core section 2 demands client_id. If the provider "
                + "shows that text as the id of this very client, write it as client_id; client_ids is only for tokens that "
                + "applications send. If it is an API, leave audience and resource out of parameters")
    }

    @Test(
        "Several audiences in one text are refused, and the advice names the list that the provider has to send",
        arguments: [
            "\(Yahoo.clientID),https://system.netsuite.example", "a \(Yahoo.clientID)", "[\"a\",\"\(Yahoo.clientID)\"]",
        ], [false, true])
    func audiencesInOneText(_ audience: String, isInList: Bool) async throws {
        let value = JSON.string(audience)
        try await checkAdvice(
            proof.token.setting("aud", to: isInList ? JSON.array([value]) : value),
            is: .audienceMismatch(expected: [Yahoo.clientID]),
            "The client id is only a part of a text in aud, which is \(audience). If that text stands for several "
                + "audiences, the provider has to send them as a list of texts (RFC 7519 section 4.1.3)")
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
        try await checkAdvice(
            proof.token.vouching(for: "another"), is: .accessTokenHashMismatch, "not that of the access token")
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
        await expectRefusal(ProviderFailure.document(.keysRefused(status: 500)).refusal.spent) {
            try await proof.redeem(proof.token.settingHeader("kid", to: .string("rotated")))
        }
        #expect(proof.deployment.store.spentKinds == [.authorizationCode])
    }

    @Test("EX-15: Userinfo about another person is refused here as well")
    func otherUser() async throws {
        try proof.deployment.scriptYahoo(proof.token)
        proof.deployment.scriptUserInfo(Yahoo.userInfo, subject: "another")
        await expectRefusal(ProviderFailure.otherPersonInUserInfo.refusal) {
            try await proof.redeemAsScripted()
        }
    }
}
