package import Documents
package import JOSE
internal import Jansson
package import OAuth
internal import Stores

/// Tells who a Firebase ID token is for, and refuses whatever is less than certain.
///
/// - SeeAlso: <https://firebase.google.com/docs/auth/admin/verify-id-tokens>
package struct FirebaseIDTokenVerifier: Sendable {
    private static let clockSkew = Duration.seconds(60)

    private enum Mode: Sendable {
        case signed(KeyedSignature)
        case unsignedForEmulator
    }

    private let projectID: String
    private let mode: Mode
    private let time: TimeSource

    /// - `projectID`: not the number.
    /// - `keys`: from ``FirebaseKeys``.
    package init(projectID: String, keys: CachedDocument<JWKSet>, time: TimeSource) {
        self.init(projectID: projectID, mode: .signed(KeyedSignature(keys: keys)), time: time)
    }

    /// Takes the unsigned tokens of the Firebase emulator, which any client can write, and no signed ones.
    ///
    /// The configuration refuses this beside a service account and off loopback.
    package static func forEmulator(projectID: String, time: TimeSource) -> Self {
        Self(projectID: projectID, mode: .unsignedForEmulator, time: time)
    }

    private init(projectID: String, mode: Mode, time: TimeSource) {
        self.projectID = projectID
        self.mode = mode
        self.time = time
    }

    /// Answers the user once every rule holds.
    ///
    /// Not checked: whether the user still exists, is disabled, or was signed out since.
    ///
    /// - Parameters:
    ///   - token: as it was sent, without `FirebaseCaller`.
    ///   - tenants: of which the user has to be one's; nil in it stands for no tenant.
    /// - Returns: the user.
    /// - Throws: the first of what is wrong. ``FirebaseIDTokenError/expired`` only where the signature holds and the
    ///   token is for this project.
    package func verify(_ token: Secret, tenants: [String?]) async throws(FirebaseIDTokenError) -> FirebaseUser {
        let (claims, signingInput) = try await evidence(token.secretText)
        let now = time.now()
        let record: SpentRecord
        let rules = FirebaseUserRules(claims: claims, clockSkew: Self.clockSkew)
        do throws(JOSEError) {
            // The rule of OpenID Connect would take an array of one, too.
            guard case .string? = claims["aud"] else { throw .malformedClaim("aud") }
            try expectation.check(claims, at: now)
            record = SpentRecord(
                .firebaseIDToken, of: [signingInput], issuedAt: try claims.requiredDate("iat"),
                expiresAt: try claims.requiredDate("exp") + Self.clockSkew)
            try rules.checkUserID()
            try rules.checkAuthenticationTime(at: now)
        } catch .expired {
            throw .expired
        } catch {
            throw .claims(error)
        }
        return try rules.user(tenants: tenants, record: record)
    }

    private var expectation: ClaimsExpectation {
        ClaimsExpectation(
            issuers: ["https://securetoken.google.com/" + projectID], audiences: [projectID],
            nonce: .uncheckedBecauseProviderSendsNone, maximumAge: nil,
            maximumLifetime: .seconds(3600) + Self.clockSkew, clockSkew: Self.clockSkew, subjectLimit: .firebase)
    }

    private func evidence(_ token: String) async throws(FirebaseIDTokenError) -> (Claims, signingInput: [UInt8]) {
        switch mode {
        case .signed(let signature):
            let jws: CompactJWS
            do {
                jws = try CompactJWS.parse(token)
            } catch {
                throw .malformed(error)
            }
            try ForeignToken.check(jws, projectID: projectID)
            do {
                return (try await signature.claims(of: jws), jws.signingInput)
            } catch {
                throw FirebaseIDTokenError(error)
            }
        case .unsignedForEmulator:
            do {
                let jws = try UnsecuredJWS.parse(token)
                return (jws.claims, jws.signingInput)
            } catch {
                throw .malformed(error)
            }
        }
    }
}

/// Tokens that applications pass in the place of an ID token.
///
/// All are refused, so that what they say of themselves may be believed; it only makes the answer a better one.
enum ForeignToken {
    static func check(_ jws: CompactJWS, projectID: String) throws(FirebaseIDTokenError) {
        guard let claims = (try? UnverifiedClaims(of: jws))?.json else { return }
        if claims["aud"]?.string == IdentityToolkit.customTokenAudience { throw .customToken }
        if claims["iss"]?.string == "https://session.firebase.google.com/" + projectID { throw .sessionCookie }
        if jws.header.algorithm == "HS256", claims["v"] == .integer(0), claims["d"]?["uid"] != nil {
            throw .legacyCustomToken
        }
    }
}

/// Why a bearer is not the user that it says.
///
/// All but ``keys(_:)`` speak of the token.
package enum FirebaseIDTokenError: Error, Equatable, Sendable {
    /// It cannot be taken apart.
    case malformed(JOSEError)
    /// A custom token was passed: the application has to sign in with it first, and pass what it gets.
    case customToken
    /// A custom token of the years before 2016 was passed.
    case legacyCustomToken
    /// A session cookie was passed.
    case sessionCookie
    /// Algorithm, type, key or signature is not as it has to be.
    case signature(JOSEError)
    /// The header has no `kid`.
    case noKeyID
    case claims(JOSEError)
    /// All was well with it, and its hour is over: the application gets a new one.
    case expired
    /// The user belongs to another tenant, or to one at all, or to none.
    case tenantMismatch
    /// Google's keys cannot be had, so that nobody knows.
    case keys(DocumentError)
}

extension FirebaseIDTokenError {
    init(_ refusal: KeyedSignature.Refusal) {
        self =
            switch refusal {
            case .token(let error): .signature(error)
            case .noKeyID: .noKeyID
            case .keys(let error): .keys(error)
            }
    }
}
