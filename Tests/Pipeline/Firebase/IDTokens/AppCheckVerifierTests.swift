import Firebase
import JOSE
import Jansson
import Standards
import Support
import Testing
import Transport

/// The clock stands at 1 700 000 000, and the skew is 60 s.
@Suite("App Check token")
struct AppCheckVerifierTests {
    private static let app = "1:1234567890:ios:abcdef"
    private static let now = TestClock.start.seconds

    private let google: ScriptedGoogle

    init() throws {
        google = try ScriptedGoogle()
    }

    @discardableResult
    private func verify(
        apps: Set<String> = [], _ change: (IDTokenBuilder) -> IDTokenBuilder = { $0 }
    ) async throws -> String {
        try await google.appCheck.verify(change(.appCheck()).compact(), apps: apps)
    }

    private func expect(
        _ error: FirebaseTokenError, _ change: (IDTokenBuilder) -> IDTokenBuilder,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: error, sourceLocation: sourceLocation) { try await verify(change) }
    }

    private func verify(_ change: (IDTokenBuilder) -> IDTokenBuilder) async throws {
        try await verify(apps: [], change)
    }

    @Test("A valid token returns the application")
    func baseline() async throws {
        #expect(try await verify() == Self.app)
    }

    @Test("If applications are listed, only those may call")
    func apps() async throws {
        #expect(try await verify(apps: ["other", Self.app]) == Self.app)
        await #expect(throws: FirebaseTokenError.appNotAllowed(Self.app)) { try await verify(apps: ["other"]) }
    }

    @Test(
        "A header that differs from App Check's is refused",
        arguments: [
            ("kid", nil, FirebaseTokenError.noKeyID), ("kid", .string("other"), .signature(.unknownKey)),
            ("alg", .string("none"), .signature(.algorithmNotAllowed)),
            ("alg", .string("ES256"), .signature(.algorithmNotAllowed)),
            ("typ", nil, .malformed(.malformedToken(.type))), ("typ", .string("x"), .signature(.typeNotAllowed)),
        ] as [(String, JSON?, FirebaseTokenError)])
    func header(member: String, value: JSON?, error: FirebaseTokenError) async {
        await expect(error) { $0.settingHeader(member, to: value) }
    }

    @Test("The signature of another key is refused")
    func foreignSignature() async {
        await expect(.signature(.signatureInvalid)) { $0.signed(by: .foreignRSA) }
    }

    private static let issuer = JOSEError.issuerMismatch(expected: ["https://firebaseappcheck.googleapis.com/"])
    private static let audience = JOSEError.audienceMismatch(expected: ["projects/project"])

    @Test(
        "A claim that differs from those of this project's App Check is refused",
        arguments: [
            ("iss", nil, .missingClaim("iss")), ("iss", .string("https://firebaseappcheck.googleapis.com/"), issuer),
            ("iss", .string("https://firebaseappcheck.googleapis.com/12x"), issuer),
            ("iss", .string("https://firebaseappcheck.googleapis.com/1/2"), issuer),
            ("iss", .string("https://firebaseappcheck.googleapis.com.evil.example/1"), issuer),
            ("iss", .string("https://firebaseappcheck.googleapis.org/1"), issuer),
            ("iss", .string("https://securetoken.google.com/project"), issuer),
            ("aud", nil, .missingClaim("aud")), ("aud", .string("projects/project"), .malformedClaim("aud")),
            ("aud", .array([.string("projects/1234567890"), .string("projects/other")]), audience),
            ("aud", .array([.string("project")]), audience), ("aud", .array([]), audience),
            ("sub", nil, .missingClaim("sub")), ("sub", .string(""), .malformedClaim("sub")),
            ("exp", nil, .missingClaim("exp")), ("iat", nil, .missingClaim("iat")),
            ("iat", .integer(now + 61), .issuedInFuture(at: NumericDate(now + 61), now: TestClock.start)),
            ("nbf", .integer(now + 61), .notYetValid(before: NumericDate(now + 61), now: TestClock.start)),
            ("exp", .integer(now + 7 * 86_400 + 1), .lifetimeTooLong(maximum: .seconds(7 * 86_400))),
        ] as [(String, JSON?, JOSEError)])
    func claims(claim: String, value: JSON?, error: JOSEError) async {
        await expect(.claims(error)) { $0.setting(claim, to: value) }
    }

    @Test("A token is accepted for at most seven days, until exp and the skew have passed")
    func expiry() async throws {
        try await verify { $0.setting("exp", to: .integer(Self.now + 7 * 86_400)) }
        try await verify { $0.setting("exp", to: .integer(Self.now - 59)) }
        await expect(.expired) { $0.setting("exp", to: .integer(Self.now - 60)) }
    }

    @Test("A text that is not a token is refused, and so is every token while the keys cannot be fetched")
    func faults() async throws {
        await #expect(throws: FirebaseTokenError.malformed(.malformedToken(.segments))) {
            try await google.appCheck.verify("x", apps: [])
        }
        google.peer.script(.get, ScriptedGoogle.keysURL, .status(503))
        await expect(.keys(.status(503))) { $0 }
    }
}
