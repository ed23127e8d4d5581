import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

/// Logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.4, §2.6).
@Suite("Logout tokens")
struct LogoutTokenTests {
    /// A deployment that accepts the logout tokens of the generic provider.
    private static func deployment(_ change: (inout DeploymentPlan) -> Void = { _ in }) throws -> Deployment {
        try Deployment { plan in
            plan.generic.events = [.logoutToken]
            change(&plan)
        }
    }

    private static func verify(_ token: IDTokenBuilder, in deployment: Deployment) async throws -> VerifiedEvent {
        try await verify(token.compact(), in: deployment)
    }

    private static func verify(
        _ token: String, as message: EventMessage = .logoutToken, in deployment: Deployment
    ) async throws -> VerifiedEvent {
        let event = try await deployment.verifier.verify(
            Secret(token), as: message, with: deployment.openIDConnect(of: deployment.generic), of: deployment.generic)
        try await deployment.spend(event)
        return event
    }

    @Test(
        "A valid token proves that the session of its person has ended",
        arguments: ["logout+jwt", "JWT", "application/logout+jwt", nil])
    func valid(_ type: String?) async throws {
        let deployment = try Self.deployment()
        let token = IDTokenBuilder.logout().settingHeader("typ", to: type.map(JSON.string))
        let event = try await Self.verify(token, in: deployment)
        #expect(event.provider == Generic.id && event.kind == .sessionEnded)
        #expect(event.identity?.subject.text == Generic.subject)
        #expect(deployment.store.spentKinds == [.event])
    }

    @Test(
        "Each rule has its own reason, and nothing is spent",
        arguments: [
            ("iss", .string("https://other.example"), .issuerMismatch), ("iss", nil, .issuerMismatch),
            ("aud", .string("other-client"), .audienceMismatch), ("aud", nil, .audienceMismatch),
            ("aud", .array([.string(Generic.clientID), .string("other-client")]), .audienceMismatch),
            ("azp", .string("other-client"), .audienceMismatch),
            ("iat", nil, .malformedToken), ("iat", .integer(1_700_000_061), .notYetValid),
            ("iat", .integer(1_699_999_339), .tooOld),
            ("exp", nil, .malformedToken), ("exp", .integer(1_699_999_940), .expired),
            ("exp", .integer(1_700_086_401), .lifetimeTooLong),
            ("jti", nil, .malformedToken), ("jti", .string(""), .malformedToken), ("jti", .integer(1), .malformedToken),
            ("events", nil, .malformedToken), ("events", .object([:]), .malformedToken),
            ("events", .object([ProviderEvents.logout: .bool(true)]), .malformedToken),
            (
                "events",
                .object(["https://schemas.openid.net/secevent/caep/event-type/session-revoked": .object([:])]),
                .malformedToken
            ),
            ("events", .string("{}"), .malformedToken),
            ("nonce", .string("n"), .malformedToken),
            ("sub", nil, .malformedToken), ("sub", .string(""), .malformedToken), ("sub", .integer(1), .malformedToken),
        ] as [(String, JSON?, Reason)])
    func rules(_ claim: String, _ value: JSON?, _ reason: Reason) async throws {
        let deployment = try Self.deployment()
        let refusal = await refusal {
            try await Self.verify(IDTokenBuilder.logout().setting(claim, to: value), in: deployment)
        }
        #expect(refusal?.reason == reason)
        if reason == .expired {
            let advice = (refusal?.cause as? any AdvisingCause)?.advice
            #expect(advice?.contains("the token came too late") == true)
        }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("The words for a nonce, for missing events, another type, a missing jti and a session are different")
    func words() async throws {
        let deployment = try Self.deployment()
        let tokens = [
            IDTokenBuilder.logout().setting("nonce", to: .string("n")), .logout().setting("events", to: nil),
            .logout().settingHeader("typ", to: .string("at+jwt")), .logout().setting("jti", to: nil),
            .logout().setting("exp", to: nil), .logout().setting("aud", to: .string("other")),
            .logout().setting("sub", to: nil), .logout().setting("sub", to: nil).setting("sid", to: .string("s")),
        ]
        var words: Set<String> = []
        for token in tokens {
            let refusal = await refusal { try await Self.verify(token, in: deployment) }
            words.insert(try #require(refusal).description)
            let advice = (refusal?.cause as? any AdvisingCause)?.advice
            #expect(advice?.contains("issues ID tokens") != true)
        }
        #expect(words.count == tokens.count)
        #expect(words.allSatisfy { !$0.contains("ID token") })
    }

    @Test("A token with only a session is refused, because no session of a provider is kept")
    func session() async throws {
        let deployment = try Self.deployment()
        let token = IDTokenBuilder.logout().setting("sub", to: nil).setting("sid", to: .string("session-1"))
        let refusal = await refusal { try await Self.verify(token, in: deployment) }
        #expect(refusal?.reason == .unsupportedCredential && refusal?.finding?.contains("sid and no sub") == true)
        _ = try await Self.verify(IDTokenBuilder.logout().setting("sid", to: .string("session-1")), in: deployment)
    }

    @Test("The type of another kind of token is refused", arguments: ["at+jwt", "secevent+jwt", "dpop+jwt", ""])
    func types(_ type: String) async throws {
        let deployment = try Self.deployment()
        await expectRefusal(Reason.malformedToken) {
            try await Self.verify(.logout().settingHeader("typ", to: .string(type)), in: deployment)
        }
    }

    @Test("Another signature, an unknown key and another algorithm are refused")
    func signatures() async throws {
        let deployment = try Self.deployment()
        let token = try IDTokenBuilder.logout().compact()
        let other = try IDTokenBuilder.logout().setting("jti", to: .string("other")).compact()
        let mixed =
            other.prefix { $0 != "." } + "." + other.split(separator: ".")[1] + "." + token.split(separator: ".")[2]
        await expectRefusal(Reason.signatureInvalid) { try await Self.verify(String(mixed), in: deployment) }
        await expectRefusal(Reason.unknownKey) {
            try await Self.verify(.logout().settingHeader("kid", to: .string("other")), in: deployment)
        }
        await expectRefusal(Reason.algorithmNotAllowed) {
            try await Self.verify(.logout().settingHeader("alg", to: .string("none")), in: deployment)
        }
        await expectRefusal(Reason.malformedToken) { try await Self.verify("a.b", in: deployment) }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("A token is accepted once, also with another signature, until the end of its time")
    func replay() async throws {
        let deployment = try Self.deployment()
        let token = try IDTokenBuilder.logout().compact()
        _ = try await Self.verify(token, in: deployment)
        await expectRefusal(Refusal.replayed(.event)) { try await Self.verify(token, in: deployment) }
        // The same jti in a token that was issued anew.
        await expectRefusal(Refusal.replayed(.event)) {
            try await Self.verify(.logout().setting("iat", to: .integer(1_699_999_999)), in: deployment)
        }
        deployment.clock.advance(by: .seconds(179))
        _ = try await deployment.store.sweep(expiredBefore: deployment.clock.now, atMost: 10)
        await expectRefusal(Refusal.replayed(.event)) { try await Self.verify(token, in: deployment) }
        deployment.clock.advance(by: .seconds(1))
        await expectRefusal(Reason.expired) { try await Self.verify(token, in: deployment) }
        _ = try await Self.verify(
            .logout(at: deployment.clock.now).setting("jti", to: .string("second")), in: deployment)
    }

    @Test("An ID token is no logout token, and a logout token is no ID token, also at a provider without nonces")
    func substitution() async throws {
        let deployment = try Self.deployment {
            $0.generic.nonceRule = .none
            $0.generic.maximumAge = .seconds(120)
        }
        let openIDConnect = try deployment.openIDConnect(of: deployment.generic)
        let idToken = IDTokenBuilder.generic(nonce: "n").setting("jti", to: .string("1"))
        for token in [idToken, idToken.setting("nonce", to: nil)] {
            await expectRefusal(Reason.malformedToken) { try await Self.verify(token, in: deployment) }
        }
        for type in ["logout+jwt", "JWT"] {
            let token = IDTokenBuilder.logout().settingHeader("typ", to: .string(type))
            await expectRefusal(Reason.malformedToken) {
                try await deployment.verifier.verify(
                    token.token(), accessToken: nil, with: openIDConnect, of: deployment.generic, nonce: .unchecked)
            }
        }
        // Without events, it is the ID token of a provider without nonces.
        _ = try await deployment.verifier.verify(
            IDTokenBuilder.generic(nonce: "n").setting("nonce", to: nil).token(), accessToken: nil, with: openIDConnect,
            of: deployment.generic, nonce: .unchecked)
    }

    @Test("A message that the configuration does not accept is refused before anything is fetched")
    func disabled() async throws {
        let deployment = try Self.deployment { $0.generic.events = [] }
        await expectRefusal(Refusal.eventsDisabled(.logoutToken)) {
            try await Self.verify(.logout(), in: deployment)
        }
        let other = try Self.deployment()
        await expectRefusal(Refusal.eventsDisabled(.securityEvent)) {
            try await Self.verify(try IDTokenBuilder.logout().compact(), as: .securityEvent, in: other)
        }
        #expect(deployment.peer.requests.isEmpty && other.peer.requests.isEmpty)
    }

    @Test("The operator reads which audience the token names")
    func advice() async throws {
        let deployment = try Self.deployment()
        let refusal = await refusal {
            try await Self.verify(.logout().setting("aud", to: .string("other-client")), in: deployment)
        }
        #expect((refusal?.cause as? any AdvisingCause)?.advice?.contains("other-client") == true)
    }

    @Test("With tenants, the person is known by tenant and subject")
    func tenants() async throws {
        let deployment = try Self.deployment { plan in
            plan.generic.tenantIDs = ["t1"]
            plan.generic.endpoints.issuers = ["https://id.example/common"]
        }
        deployment.peer.script(
            .get, "https://id.example/common/.well-known/openid-configuration",
            .json(Generic.metadataText(changing: ["issuer": #""https://id.example/{tenantid}""#])))
        let token = IDTokenBuilder.logout().setting("iss", to: .string("https://id.example/t1"))
        let event = try await Self.verify(token.setting("tid", to: .string("t1")), in: deployment)
        #expect(event.identity?.subject.text == "t1:" + Generic.subject)
        await expectRefusal(Reason.issuerMismatch) {
            try await Self.verify(token.setting("tid", to: .string("t2")), in: deployment)
        }
    }
}
