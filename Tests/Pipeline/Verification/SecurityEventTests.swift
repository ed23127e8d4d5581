import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

extension Deployment {
    /// Spends the message of an event, as its receiver does after the effect.
    func spend(_ event: VerifiedEvent) async throws {
        let singleUse = SingleUse(store: store, time: clock.source)
        try await singleUse.requireUnspent(event.record)
        try await singleUse.spend([event.record])
    }
}

/// Security event tokens (RFC 8417) and the notifications of Sign in with Apple.
@Suite("Security events")
struct SecurityEventTests {
    private static let revoked = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"
    private static let disabled = "https://schemas.openid.net/secevent/risc/event-type/account-disabled"

    private static let person: JSON = .object([
        "format": .string("iss_sub"), "iss": .string(Generic.issuer), "sub": .string(Generic.subject),
    ])

    /// A token like those of the Shared Signals Framework.
    private static func token(
        _ event: String = revoked, _ content: JSON = .object([:]), at now: NumericDate = TestClock.start
    ) -> IDTokenBuilder {
        IDTokenBuilder(
            header: [
                "alg": .string("RS256"), "kid": .string(TestKeys.rsaKeyID), "typ": .string("secevent+jwt"),
            ],
            claims: [
                "iss": .string(Generic.issuer), "aud": .array([.string("other"), .string(Generic.clientID)]),
                "iat": .integer(now.seconds), "jti": .string("set-1"), "sub_id": person,
                "events": .object([event: content]),
            ],
            signer: .rsa)
    }

    /// A message to a provider with these events, whose registration accepts all of them.
    private static func verify(
        _ token: IDTokenBuilder, as message: EventMessage = .securityEvent, events: ProviderEvents = .standard,
        in deployment: Deployment
    ) async throws -> VerifiedEvent {
        var registration = OpenIDConnectRegistration(clientID: Generic.clientID, clientAuthentication: .none)
        registration.endpoints.issuers = [Generic.issuer]
        registration.events = EventMessage.allCases
        registration.sentEvents = events
        let provider = registration.provider(
            Generic.id, transport: deployment.peer.transport, time: deployment.clock.source)
        let event = try await deployment.verifier.verify(
            Secret(token.compact()), as: message, with: deployment.openIDConnect(of: provider), of: provider)
        try await deployment.spend(event)
        return event
    }

    @Test(
        "An event is known by its name, and any other one ends nothing",
        arguments: [
            (revoked, .sessionEnded), (disabled, .accountDisabled),
            ("https://schemas.openid.net/secevent/risc/event-type/sessions-revoked", .sessionEnded),
            ("https://schemas.openid.net/secevent/risc/event-type/account-purged", .accountDeleted),
            ("https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked", .consentRevoked),
            ("https://schemas.openid.net/secevent/risc/event-type/account-enabled", .other),
            ("https://schemas.openid.net/secevent/ssf/event-type/verification", .other),
            (ProviderEvents.logout, .other),
        ] as [(String, EventKind)])
    func kinds(_ event: String, _ kind: EventKind) async throws {
        let verified = try await Self.verify(Self.token(event), in: Deployment())
        #expect(verified.kind == kind)
        #expect(verified.identity?.subject.text == Generic.subject)
    }

    @Test("The most serious one of several events counts")
    func several() async throws {
        let token = Self.token().setting(
            "events", to: .object([Self.revoked: .object([:]), Self.disabled: .object([:]), "other": .object([:])]))
        #expect(try await Self.verify(token, in: Deployment()).kind == .accountDisabled)
    }

    @Test(
        "The person is named in each of the forms that providers use",
        arguments: [
            ("sub_id", person), ("sub_id", .object(["format": .string("complex"), "user": person])),
            (
                "subject",
                .object([
                    "subject_type": .string("iss-sub"), "iss": .string(Generic.issuer), "sub": .string(Generic.subject),
                ])
            ),
            ("subject", .object(["user": person])),
        ] as [(String, JSON)])
    func subjects(_ member: String, _ subject: JSON) async throws {
        let outside = Self.token().setting("sub_id", to: nil).setting(member, to: subject)
        let within = Self.token(Self.revoked, .object([member: subject])).setting("sub_id", to: nil)
        for token in member == "sub_id" ? [outside, within] : [within] {
            let event = try await Self.verify(token, in: Deployment())
            #expect(event.identity?.subject.text == Generic.subject)
        }
    }

    @Test("Without a subject identifier, sub names the person; an address, a token or a session names none")
    func otherSubjects() async throws {
        let bare = Self.token().setting("sub_id", to: nil)
        let named = try await Self.verify(bare.setting("sub", to: .string("s1")), in: Deployment())
        #expect(named.identity?.subject.text == "s1")
        for subject: JSON in [
            .object(["format": .string("email"), "email": .string("ann@example.org")]),
            .object(["subject_type": .string("oauth_token"), "token": .string("x")]),
            .object(["format": .string("opaque"), "id": .string(Generic.subject)]), .string(Generic.subject),
        ] {
            #expect(try await Self.verify(bare.setting("sub_id", to: subject), in: Deployment()).identity == nil)
        }
        #expect(try await Self.verify(bare, in: Deployment()).identity == nil)
    }

    @Test(
        "Each rule has its own reason, and nothing is spent",
        arguments: [
            ("iss", .string("https://other.example"), .issuerMismatch), ("iss", nil, .issuerMismatch),
            ("aud", .string("other"), .audienceMismatch), ("aud", .array([]), .audienceMismatch),
            ("aud", nil, .audienceMismatch),
            ("iat", nil, .malformedToken), ("iat", .integer(1_700_000_061), .notYetValid),
            ("iat", .integer(1_699_395_139), .tooOld), ("exp", .integer(1_699_999_940), .expired),
            ("nbf", .integer(1_700_000_061), .notYetValid), ("jti", nil, .malformedToken),
            ("events", nil, .malformedToken), ("events", .object([:]), .malformedToken),
            ("events", .array([]), .malformedToken),
            ("sub_id", .object(["iss": .string("https://other.example"), "sub": .string("s")]), .issuerMismatch),
        ] as [(String, JSON?, Reason)])
    func rules(_ claim: String, _ value: JSON?, _ reason: Reason) async throws {
        let deployment = try Deployment()
        let refusal = await refusal {
            try await Self.verify(Self.token().setting(claim, to: value), in: deployment)
        }
        #expect(refusal?.reason == reason)
        if claim == "sub_id" {
            #expect(refusal?.finding == "iss of the token, or of the subject in it, is not \(Generic.issuer)")
        }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("The type may have the prefix application/", arguments: ["application/secevent+jwt", "JWT"])
    func prefixedType(_ type: String) async throws {
        let token = Self.token(Self.disabled).settingHeader("typ", to: .string(type))
        let event = try await Self.verify(token, in: Deployment())
        #expect(event.identity?.subject.text == Generic.subject)
    }

    @Test(
        "The types of a logout token and of an access token are refused",
        arguments: ["logout+jwt", "at+jwt", "application/logout+jwt", "application/at+jwt"])
    func types(_ type: String) async throws {
        await expectRefusal(Reason.malformedToken) {
            try await Self.verify(Self.token().settingHeader("typ", to: .string(type)), in: Deployment())
        }
    }

    @Test("An event of a week ago is accepted, once, and its record is kept as long")
    func replay() async throws {
        let deployment = try Deployment()
        let token = Self.token(at: TestClock.start)
        _ = try await Self.verify(token, in: deployment)
        deployment.clock.advance(by: .seconds(7 * 86_400 + 60))
        _ = try await deployment.store.sweep(expiredBefore: deployment.clock.now, atMost: 10)
        await expectRefusal(Refusal.replayed(.event)) { try await Self.verify(token, in: deployment) }
        _ = try await Self.verify(token.setting("jti", to: .string("set-2")), in: deployment)
        deployment.clock.advance(by: .seconds(1))
        await expectRefusal(Reason.tooOld) { try await Self.verify(token, in: deployment) }
    }

    @Test("The same jti of another issuer or provider is another message, and a longer exp does not shorten the record")
    func records() async throws {
        let deployment = try Deployment { $0.generic.events = [.logoutToken] }
        let record = try await Self.verify(Self.token(), in: deployment).record
        let withExpiry = Self.token().setting("jti", to: .string("set-2")).setting("exp", to: .integer(1_700_000_100))
        let other = try await Self.verify(withExpiry, in: deployment).record
        #expect(record.digest != other.digest)
        #expect(record.expiresAt == other.expiresAt)
    }

    @Test("An exp at the end of time makes no record that is never swept")
    func endlessExpiry() async throws {
        let deployment = try Deployment()
        let endless = Self.token().setting("exp", to: .integer(.max))
        let record = try await Self.verify(endless, in: deployment).record
        // Seven days, the clock skew and one minute.
        #expect(record.expiresAt == TestClock.start + .seconds(7 * 86_400 + 60 + 60))
    }

    @Test("Google's events have issuers and keys of their own, and name persons of these or of the ID tokens' issuer")
    func google() async throws {
        let deployment = try Deployment()
        let keys = "https://www.googleapis.com/oauth2/v3/certs"
        deployment.peer.script(.get, keys, .json(try TestKeys.shared.keySet()))
        func token(_ subjectIssuer: String) -> IDTokenBuilder {
            Self.token(
                "https://schemas.openid.net/secevent/risc/event-type/account-disabled",
                .object([
                    "subject": .object([
                        "subject_type": .string("iss-sub"), "iss": .string(subjectIssuer), "sub": .string("7375626A"),
                    ]), "reason": .string("hijacking"),
                ]), at: deployment.clock.now
            ).setting("sub_id", to: nil).setting("iss", to: .string("https://accounts.google.com/"))
                .setting("jti", to: .string(subjectIssuer)).settingHeader("typ", to: nil)
        }
        for issuer in ["https://accounts.google.com/", Generic.issuer] {
            let event = try await Self.verify(token(issuer), events: .google, in: deployment)
            #expect(event.kind == .accountDisabled && event.identity?.subject.text == "7375626A")
        }
        #expect(deployment.peer.requests(to: keys).count == 2 && deployment.peer.requests(to: Generic.keys).isEmpty)
        // The issuer of ID tokens here is not one of Google's.
        await expectRefusal(Reason.issuerMismatch) {
            try await Self.verify(
                token(Generic.issuer).setting("iss", to: .string(Generic.issuer)), events: .google, in: deployment)
        }
        for (issuer, isOfOthers) in [("https://accounts.google.com/", false), (Generic.issuer, true)] {
            let forged = token("forged").setting("iss", to: .string(issuer)).signed(by: .foreignRSA)
            let refusal = await refusal { try await Self.verify(forged, events: .google, in: deployment) }
            #expect(refusal?.reason == .signatureInvalid)
            let advice = (refusal?.cause as? any AdvisingCause)?.advice
            #expect(advice?.hasPrefix("iss of the token, whose signature is not verified, is not ") == isOfOthers)
        }
    }

    @Test(
        "Apple's event is a text with JSON, or an object",
        arguments: [
            ("consent-revoked", .consentRevoked), ("account-delete", .accountDeleted),
            ("account-deleted", .accountDeleted), ("email-disabled", .other), ("email-enabled", .other),
        ] as [(String, EventKind)])
    func apple(_ type: String, _ kind: EventKind) async throws {
        let event: JSON = .object([
            "type": .string(type), "sub": .string("001234.abc"), "event_time": .integer(1_700_000_000_000),
        ])
        for events in [event, .string(String(decoding: event.serialized(), as: UTF8.self))] {
            let token = Self.notification().setting(
                "events", toText: String(decoding: events.serialized(), as: UTF8.self))
            let verified = try await Self.verify(token, as: .notification, events: .apple, in: Deployment())
            #expect(verified.kind == kind && verified.identity?.subject.text == "001234.abc")
        }
    }

    private static func notification() -> IDTokenBuilder {
        token().settingHeader("typ", to: nil).setting("sub_id", to: nil)
            .setting("aud", to: .string(Generic.clientID)).setting("exp", to: .integer(1_700_086_400))
            .setting("events", toText: #""{\"type\":\"consent-revoked\",\"sub\":\"001234.abc\"}""#)
    }

    @Test(
        "A notification without a type, for another application, or that has expired is refused",
        arguments: [
            ("events", #""{}""#, .malformedToken), ("events", #""no json""#, .malformedToken),
            ("events", "[]", .malformedToken), ("events", nil, .malformedToken),
            ("aud", #""other""#, .audienceMismatch), ("exp", "1699999940", .expired),
        ] as [(String, String?, Reason)])
    func badNotifications(_ claim: String, _ text: String?, _ reason: Reason) async throws {
        let deployment = try Deployment()
        await expectRefusal(reason) {
            try await Self.verify(
                Self.notification().setting(claim, toText: text), as: .notification, events: .apple, in: deployment)
        }
        #expect(deployment.store.calls.isEmpty)
    }
}
