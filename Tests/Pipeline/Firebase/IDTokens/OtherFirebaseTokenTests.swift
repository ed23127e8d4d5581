import Firebase
import Fixtures
import JOSE
import Jansson
import Minting
import Standards
import Support
import Testing

@Suite("Other Firebase tokens as ID tokens")
struct OtherFirebaseTokenTests {
    private let google: ScriptedGoogle

    init() throws {
        google = try ScriptedGoogle()
    }

    private func expect(
        _ error: FirebaseTokenError, _ token: Secret, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: error, sourceLocation: sourceLocation) {
            try await google.idTokens.verify(token, tenants: [nil])
        }
    }

    @Test("LK-03: a custom token of this server is refused with its own error")
    func customToken() async throws {
        let signer = try CustomTokenSigner(
            serviceAccount: ScriptedGoogle.serviceAccount(), threadCount: 1)
        await expect(.customToken, Secret(try await signer.signedToken(uid: "u1")))
        #expect(google.peer.requests.isEmpty)
    }

    @Test("LK-03: a legacy custom token is refused with its own error")
    func legacyCustomToken() async throws {
        let legacy = IDTokenBuilder.firebase().settingHeader("alg", to: .string("HS256"))
            .setting("v", to: .integer(0)).setting("d", to: .object(["uid": .string("u1")]))
        await expect(.legacyCustomToken, try legacy.secret())
        await expect(.signature(.algorithmNotAllowed), try legacy.setting("v", to: .integer(1)).secret())
        await expect(.signature(.algorithmNotAllowed), try legacy.setting("d", to: nil).secret())
        // A token with a right signature is not a legacy token, whatever its claims.
        _ = try await google.idTokens.verify(
            legacy.settingHeader("alg", to: .string("RS256")).secret(), tenants: [nil])
    }

    @Test("LK-03: a session cookie is refused with its own error")
    func sessionCookie() async throws {
        let cookie = IDTokenBuilder.firebase().setting(
            "iss", to: .string("https://session.firebase.google.com/project"))
        await expect(.sessionCookie, try cookie.secret())
    }

    @Test(
        "LK-01, LK-03: a token of another project or issuer is refused before a fetch, and the log has both issuers if the other is one of Google",
        arguments: [
            "https://securetoken.google.com/other", "https://securetoken.google.com/project/",
            "https://accounts.google.com", "https://session.firebase.google.com/other",
            "https://firebaseappcheck.googleapis.com/1234567890",
        ])
    func otherIssuer(found: String) async throws {
        let expected = "https://securetoken.google.com/project"
        let error = FirebaseTokenError.otherIssuer(found, expected: expected)
        await expect(error, try IDTokenBuilder.firebase().setting("iss", to: .string(found)).secret())
        #expect(google.peer.requests.isEmpty)
        #expect(error.refusal.finding == "iss of the token is \(found), and must be \(expected)")
        await expect(
            .otherIssuer("another issuer", expected: expected),
            try IDTokenBuilder.firebase().setting("iss", to: .string("did:key:chosen-by-a-stranger")).secret())
    }

    @Test("The refusal of a token from the future names the clock, because the token may be right")
    func future() {
        let (now, ahead) = (TestClock.start, NumericDate(TestClock.start.seconds + 600))
        let refusal = FirebaseTokenError.claims(.issuedInFuture(at: ahead, now: now)).refusal
        #expect(refusal.reason == .idTokenInvalid && refusal.description.hasPrefix("By the clock of this server"))
    }

    @Test("Only the log says that Google does not publish the key of a token")
    func oldKey() {
        let refusal = FirebaseTokenError.signature(.unknownKey).refusal
        #expect(refusal.reason == .idTokenInvalid)
        #expect(refusal.description == FirebaseTokenError.signature(.signatureInvalid).refusal.description)
        #expect(
            refusal.finding
                == "Google publishes no key with the kid of the token: it is weeks old, or of another issuer")
    }

    @Test("The refusal of an expired token names the clock, because a new token can have expired only by a wrong one")
    func expired() {
        let refusal = FirebaseTokenError.expired.refusal
        #expect(refusal.description.hasSuffix("If that is refused as well, the clock of the server is wrong."))
        #expect(refusal.finding == "the token has expired, or the clock of this machine is wrong")
    }

    @Test("LK-02: an unsigned token is refused, whatever its third part is, and causes no fetch")
    func unsigned() async throws {
        await expect(.malformed(.malformedToken(.segments)), try IDTokenBuilder.firebase().unsigned())
        await expect(
            .signature(.algorithmNotAllowed),
            Secret(try IDTokenBuilder.firebase().unsigned().secretText + "AAAA"))
        #expect(google.peer.requests.isEmpty)
    }

    @Test("A verifier for the emulator accepts its unsigned tokens, with a record for each")
    func emulator() async throws {
        let emulator = FirebaseIDTokenVerifier.forEmulator(projectID: "project", time: google.clock.source)
        let user = try await emulator.verify(IDTokenBuilder.firebase().unsigned(), tenants: [nil])
        #expect(user.uid == "u1")
        let other = try await emulator.verify(
            IDTokenBuilder.firebase().setting("email", to: nil).unsigned(), tenants: [nil])
        #expect(user.record != other.record)
    }

    @Test(
        "Every rule of the claims applies also for the emulator",
        arguments: [
            ("aud", .string("other"), FirebaseTokenError.claims(.audienceMismatch(expected: ["project"]))),
            ("exp", .integer(TestClock.start.seconds - 60), .expired),
            ("auth_time", nil, .claims(.missingClaim("auth_time"))),
            ("user_id", .string("u2"), .claims(.malformedClaim("user_id"))),
            (
                "firebase", IDTokenBuilder.firebaseObject(changing: ["tenant": .string("t")]),
                .tenantMismatch(found: "t", expected: [nil])
            ),
        ] as [(String, JSON?, FirebaseTokenError)])
    func emulatorClaims(claim: String, value: JSON?, error: FirebaseTokenError) async throws {
        let emulator = FirebaseIDTokenVerifier.forEmulator(projectID: "project", time: google.clock.source)
        let token = try IDTokenBuilder.firebase().setting(claim, to: value).unsigned()
        await #expect(throws: error) { try await emulator.verify(token, tenants: [nil]) }
    }

    @Test("A verifier for the emulator refuses tokens with a signature, right or wrong")
    func signedAtEmulator() async throws {
        let emulator = FirebaseIDTokenVerifier.forEmulator(projectID: "project", time: google.clock.source)
        let unsigned = try IDTokenBuilder.firebase().unsigned().secretText
        for (text, error) in [
            (try IDTokenBuilder.firebase().compact(), JOSEError.algorithmNotAllowed),
            (unsigned + "AAAA", .malformedToken(.segments)),
        ] {
            await #expect(throws: FirebaseTokenError.malformed(error)) {
                try await emulator.verify(Secret(text), tenants: [nil])
            }
        }
    }
}
