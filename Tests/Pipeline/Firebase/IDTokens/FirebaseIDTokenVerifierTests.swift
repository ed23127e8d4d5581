import Firebase
import Fixtures
import JOSE
import Jansson
import OpenSSL
import Standards
import Stores
import Support
import Testing

/// The clock stands at 1 700 000 000, and the skew is 60 s.
@Suite("Firebase ID token")
struct FirebaseIDTokenTests {
    private let google: ScriptedGoogle
    private static let now = TestClock.start.seconds

    init() throws {
        google = try ScriptedGoogle()
    }

    @discardableResult
    private func verify(
        _ change: (IDTokenBuilder) -> IDTokenBuilder = { $0 }, tenants: [String?] = [nil]
    ) async throws -> FirebaseUser {
        try await google.idTokens.verify(change(.firebase()).secret(), tenants: tenants)
    }

    private func expect(
        _ error: FirebaseTokenError, _ change: (IDTokenBuilder) -> IDTokenBuilder,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: error, sourceLocation: sourceLocation) { try await verify(change) }
    }

    @Test("A valid token returns its user, and the record that spends the token")
    func baseline() async throws {
        let token = try IDTokenBuilder.firebase().secret()
        let user = try await google.idTokens.verify(token, tenants: [nil])
        #expect(user.uid == "u1")
        #expect(user.authenticatedAt == NumericDate(Self.now - 100))
        #expect(user.issuedAt == NumericDate(Self.now - 10))
        #expect(!user.isAnonymous)
        #expect(user.tenantID == nil)
        #expect(user.email == "ann@example.org")
        #expect(user.signInProvider == "custom")
        let input = token.secretText.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(
            user.record
                == SpentRecord(
                    .firebaseIDToken, of: [Array(input.utf8)], issuedAt: NumericDate(Self.now - 10),
                    expiresAt: NumericDate(Self.now + 3590 + 60)))
        #expect(user.record.expiresAt == NumericDate(Self.now + 3590 + 60))
    }

    @Test(
        "LK-01: a header that differs from Firebase's is refused",
        arguments: [
            ("kid", nil, FirebaseTokenError.noKeyID), ("kid", .string("other"), .signature(.unknownKey)),
            ("kid", .string(TestKeys.curveKeyID), .signature(.keyForOtherAlgorithm)),
            ("kid", .integer(1), .malformed(.malformedToken(.keyID))),
            ("alg", .string("none"), .signature(.algorithmNotAllowed)),
            ("alg", .string("HS256"), .signature(.algorithmNotAllowed)),
            ("alg", .string("ES256"), .signature(.algorithmNotAllowed)),
            ("alg", .string("rs256"), .signature(.algorithmNotAllowed)),
            ("alg", nil, .malformed(.malformedToken(.algorithm))),
            ("typ", .string("at+jwt"), .signature(.typeNotAllowed)),
            ("typ", .string("application/at+jwt"), .signature(.typeNotAllowed)),
            ("crit", .array([.string("exp")]), .malformed(.criticalHeader)),
        ] as [(String, JSON?, FirebaseTokenError)])
    func header(member: String, value: JSON?, error: FirebaseTokenError) async {
        await expect(error) { $0.settingHeader(member, to: value) }
    }

    @Test("LK-01: ES256 is refused, although the key set has the key and the signature is valid")
    func curve() async {
        await expect(.signature(.algorithmNotAllowed)) {
            $0.settingHeader("alg", to: .string("ES256")).settingHeader("kid", to: .string(TestKeys.curveKeyID))
                .signed(by: .curve)
        }
    }

    @Test("LK-01: the signature of another key with a known key id is refused")
    func foreignSignature() async {
        await expect(.signature(.signatureInvalid)) { $0.signed(by: .foreignRSA) }
    }

    @Test(
        "LK-01: a text that is not a token is refused",
        arguments: [
            ("", JOSEError.malformedToken(.segments)), ("a.b", .malformedToken(.segments)),
            ("a.b.c.d", .malformedToken(.segments)), ("Bearerx", .malformedToken(.segments)),
            (String(repeating: "a", count: 16_385), .tooLarge(maximumBytes: 16_384)),
        ])
    func noToken(text: String, error: JOSEError) async {
        await #expect(throws: FirebaseTokenError.malformed(error)) {
            try await google.idTokens.verify(Secret(text), tenants: [nil])
        }
    }

    private static let audience = JOSEError.audienceMismatch(expected: ["project"])

    @Test(
        "LK-01, LK-03: a claim of another project is refused",
        arguments: [
            ("iss", nil, .missingClaim("iss")),
            ("aud", nil, .malformedClaim("aud")), ("aud", .string("other"), audience),
            ("aud", .array([.string("project")]), .malformedClaim("aud")),
            ("azp", .string("other"), .authorizedPartyMismatch(expected: ["project"])),
            ("sub", nil, .missingClaim("sub")), ("sub", .string(""), .malformedClaim("sub")),
            ("sub", .integer(1), .malformedClaim("sub")), ("sub", .string("u2"), .malformedClaim("user_id")),
            ("user_id", .string("u2"), .malformedClaim("user_id")), ("exp", nil, .missingClaim("exp")),
            ("iat", nil, .missingClaim("iat")),
            ("auth_time", nil, .missingClaim("auth_time")),
            ("auth_time", .string("1699999900"), .malformedClaim("auth_time")),
            ("firebase", nil, .missingClaim("firebase")), ("firebase", .string("x"), .malformedClaim("firebase")),
            (
                "firebase", IDTokenBuilder.firebaseObject(changing: ["sign_in_provider": nil]),
                .malformedClaim("firebase")
            ),
            (
                "firebase", IDTokenBuilder.firebaseObject(changing: ["sign_in_provider": .string("")]),
                .malformedClaim("firebase")
            ),
        ] as [(String, JSON?, JOSEError)])
    func claims(claim: String, value: JSON?, error: JOSEError) async {
        await expect(.claims(error)) { $0.setting(claim, to: value) }
    }

    @Test("A token without user_id is accepted")
    func withoutUserID() async throws {
        #expect(try await verify { $0.setting("user_id", to: nil) }.uid == "u1")
    }

    @Test("LK-01: a uid has at most 128 UTF-16 code units, of any number of bytes")
    func uidLength() async throws {
        for character in ["u", "漢"] {
            let longest = String(repeating: character, count: 128)
            let user = try await verify {
                $0.setting("sub", to: .string(longest)).setting("user_id", to: .string(longest))
            }
            #expect(user.uid.text == longest)
        }
        for uid in [String(repeating: "u", count: 129), String(repeating: "🙂", count: 65)] {
            await expect(.claims(.malformedClaim("sub"))) {
                $0.setting("sub", to: .string(uid)).setting("user_id", to: .string(uid))
            }
        }
    }

    @Test("user_id and sub are compared without Unicode normalization")
    func normalization() async {
        await expect(.claims(.malformedClaim("user_id"))) {
            $0.setting("sub", to: .string("K")).setting("user_id", to: .string("\u{212A}"))
        }
    }

    @Test("LK-01: a token is accepted until exp and the skew have passed, and expired is distinguished from invalid")
    func expiry() async throws {
        try await verify { $0.setting("exp", to: .integer(Self.now - 59)) }
        await expect(.expired) { $0.setting("exp", to: .integer(Self.now - 60)) }
        await expect(.signature(.signatureInvalid)) {
            $0.setting("exp", to: .integer(Self.now - 60)).signed(by: .foreignRSA)
        }
        await expect(.claims(Self.audience)) {
            $0.setting("exp", to: .integer(Self.now - 60)).setting("aud", to: .string("other"))
        }
    }

    @Test("A token that was issued in the future, beyond the skew, is refused")
    func issuedInFuture() async throws {
        try await verify { $0.setting("iat", to: .integer(Self.now + 60)) }
        await expect(.claims(.issuedInFuture(at: NumericDate(Self.now + 61), now: TestClock.start))) {
            $0.setting("iat", to: .integer(Self.now + 61))
        }
    }

    @Test("A token that lives longer than an hour and the skew is refused")
    func lifetime() async throws {
        try await verify { $0.setting("exp", to: .integer(Self.now - 10 + 3660)) }
        await expect(.claims(.lifetimeTooLong(maximum: .seconds(3660)))) {
            $0.setting("exp", to: .integer(Self.now - 10 + 3661))
        }
    }

    @Test("The sign-in may be any time before the token's issue, but not in the future")
    func authenticationTime() async throws {
        #expect(try await verify { $0.setting("auth_time", to: .integer(0)) }.authenticatedAt == NumericDate(0))
        try await verify { $0.setting("auth_time", to: .integer(Self.now + 50)) }
        await expect(.claims(.malformedClaim("auth_time"))) { $0.setting("auth_time", to: .integer(Self.now + 51)) }
        await expect(.claims(.issuedInFuture(at: NumericDate(Self.now + 61), now: TestClock.start))) {
            $0.setting("auth_time", to: .integer(Self.now + 61)).setting("iat", to: .integer(Self.now + 60))
        }
    }

    @Test(
        "LK-16: the tenant is one of the expected ones; a token without a tenant is accepted only if that is expected")
    func tenant() async throws {
        func inTenant(_ value: JSON) -> (IDTokenBuilder) -> IDTokenBuilder {
            { $0.setting("firebase", to: IDTokenBuilder.firebaseObject(changing: ["tenant": value])) }
        }
        for expected in [["t1"], [nil, "t2", "t1"]] {
            #expect(try await verify(inTenant(.string("t1")), tenants: expected).tenantID == "t1")
        }
        #expect(try await verify(tenants: ["t1", nil]).tenantID == nil)
        for (value, expected) in [
            (JSON.string("t1"), nil), (.string("t2"), "t1"), (.string(""), nil),
            (.array([.string("t1")]), "t1"), (.string("\u{212A}"), "K"),
        ] as [(JSON, String?)] {
            await #expect(throws: FirebaseTokenError.tenantMismatch(found: value.string, expected: [expected])) {
                try await verify(inTenant(value), tenants: [expected])
            }
        }
        for expected in [["t1"], []] as [[String?]] {
            await #expect(throws: FirebaseTokenError.tenantMismatch(found: nil, expected: expected)) {
                try await verify(tenants: expected)
            }
        }
        #expect(
            FirebaseTokenError.tenantMismatch(found: "t3", expected: ["t2", nil, "t1"]).sentence
                == "the tenant of the user is t3, and must be none or t1 or t2")
    }

    @Test("AN-05: an anonymous user is recognized by either claim")
    func anonymous() async throws {
        let byProvider = try await verify {
            $0.setting(
                "firebase",
                to: IDTokenBuilder.firebaseObject(changing: ["sign_in_provider": .string("anonymous")]))
        }
        #expect(byProvider.isAnonymous)
        #expect(byProvider.signInProvider == "anonymous")
        #expect(try await verify { $0.setting("provider_id", to: .string("anonymous")) }.isAnonymous)
    }

    @Test(
        "An e-mail address counts only if it is verified",
        arguments: [nil, .bool(false), .string("true")] as [JSON?])
    func email(verified: JSON?) async throws {
        #expect(try await verify { $0.setting("email_verified", to: verified) }.email == nil)
        #expect(try await verify { $0.setting("email", to: nil) }.email == nil)
    }

    @Test(
        "A token with an identity or an address is not anonymous, however its session started",
        arguments: [
            ("custom", #"{"google.com":["1"],"email":["ann@example.org"]}"#, ["google.com"]),
            ("custom", #"{"email":["ann@example.org"]}"#, []), ("anonymous", #"{"phone":["+15550100"]}"#, ["phone"]),
            ("password", #"{"email":["ann@example.org"]}"#, ["password"]), ("google.com", "{}", ["google.com"]),
        ])
    func identities(provider: String, identities: String, signInMethods: [ProviderID]) async throws {
        let firebase = IDTokenBuilder.firebaseObject(changing: [
            "sign_in_provider": .string(provider), "identities": try JSON.parse(Array(identities.utf8)),
        ])
        let user = try await verify {
            $0.setting("firebase", to: firebase).setting("provider_id", to: .string("anonymous"))
        }
        #expect(user.hasIdentity && !user.isAnonymous)
        #expect(user.signInMethods.names == signInMethods)
    }

    @Test("Identities without a value do not count")
    func emptyIdentities() async throws {
        for provider in ["custom", "anonymous"] {
            let firebase = IDTokenBuilder.firebaseObject(changing: [
                "sign_in_provider": .string(provider), "identities": .object(["google.com": .array([])]),
            ])
            let user = try await verify { $0.setting("firebase", to: firebase) }
            #expect(!user.hasIdentity && user.signInMethods.isEmpty && user.isAnonymous == (provider == "anonymous"))
        }
    }

    @Test("Malformed identities are refused, and do not make a user anonymous")
    func malformedIdentities() async {
        let firebase = IDTokenBuilder.firebaseObject(changing: ["identities": .string("none")])
        await expect(.claims(.malformedClaim("firebase"))) { $0.setting("firebase", to: firebase) }
    }
}
