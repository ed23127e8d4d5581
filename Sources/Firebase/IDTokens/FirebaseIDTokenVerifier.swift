package import JOSE
internal import Jansson
package import Standards
internal import Stores

/// Verifies Firebase ID tokens and returns their users.
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

    /// Makes a verifier for the signed ID tokens of a project.
    ///
    /// - Parameters:
    ///   - projectID: The project's id, not its number.
    ///   - keys: A document of ``FirebaseKeys``.
    package init(projectID: String, keys: CachedDocument<JWKSet>, time: TimeSource) {
        self.init(projectID: projectID, mode: .signed(KeyedSignature(keys: keys)), time: time)
    }

    /// Accepts only the unsigned tokens of the Firebase emulator, which any client can forge.
    ///
    /// The configuration refuses this mode together with a service account, or if server or emulator is not on loopback.
    package static func forEmulator(projectID: String, time: TimeSource) -> Self {
        Self(projectID: projectID, mode: .unsignedForEmulator, time: time)
    }

    private init(projectID: String, mode: Mode, time: TimeSource) {
        self.projectID = projectID
        self.mode = mode
        self.time = time
    }

    /// Verifies a token.
    ///
    /// It does not check whether the user still exists, is disabled, or was signed out after the token was issued.
    ///
    /// - Parameters:
    ///   - token: The token, without the word `Bearer`.
    ///   - tenants: Tenants whose users may call. `nil` means users outside any tenant.
    /// - Throws: The first failed rule. It is ``FirebaseTokenError/expired`` only if the signature is right and the
    ///   token is for this project.
    package func verify(_ token: Secret, tenants: [String?]) async throws(FirebaseTokenError) -> FirebaseUser {
        let (claims, signingInput) = try await evidence(token.secretText)
        let now = time.now()
        let record: SpentRecord
        let rules = FirebaseUserRules(claims: claims, clockSkew: Self.clockSkew)
        do throws(JOSEError) {
            // The rule of OpenID Connect would also accept an array with one element.
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
            issuers: [OtherFirebaseToken.issuer(projectID)], audiences: [projectID],
            nonce: .uncheckedBecauseProviderSendsNone, maximumAge: nil,
            maximumLifetime: .seconds(3600) + Self.clockSkew, clockSkew: Self.clockSkew, subjectLimit: .firebase)
    }

    private func evidence(_ token: String) async throws(FirebaseTokenError) -> (Claims, signingInput: [UInt8]) {
        switch mode {
        case .signed(let signature):
            let jws: CompactJWS
            do {
                jws = try CompactJWS.parse(token)
            } catch {
                throw TokenMistake(token).map(FirebaseTokenError.mistake) ?? .malformed(error)
            }
            try OtherFirebaseToken.refuse(jws, projectID: projectID)
            return (
                try await signature.claims(of: jws), jws.signingInput
            )
        case .unsignedForEmulator:
            let jws = try wrappingNow(FirebaseTokenError.malformed, UnsecuredJWS.parse(token))
            return (jws.claims, jws.signingInput)
        }
    }
}

/// Tokens of other kinds or projects, which applications send by mistake in place of an ID token.
///
/// They are recognized by unverified claims. That is safe, because all of them are refused: the kind only makes the
/// error more precise.
private enum OtherFirebaseToken {
    static func issuer(_ projectID: String) -> String { "https://securetoken.google.com/" + projectID }

    static func refuse(_ jws: CompactJWS, projectID: String) throws(FirebaseTokenError) {
        guard let claims = (try? UnverifiedClaims(of: jws))?.json else { return }
        if claims["aud"]?.string == IdentityToolkit.customTokenAudience { throw .customToken }
        if claims["iss"]?.string == "https://session.firebase.google.com/" + projectID { throw .sessionCookie }
        if jws.header.algorithm == "HS256", claims["v"] == .integer(0), claims["d"]?["uid"] != nil {
            throw .legacyCustomToken
        }
        let expected = issuer(projectID)
        if let found = claims["iss"]?.string, !found.exactlyEquals(expected) {
            // Any other text may be chosen by a stranger.
            let known = [
                issuer(""), "https://session.firebase.google.com/", "https://firebaseappcheck.googleapis.com/",
                "https://accounts.google.com",
            ]
            let isKnown = known.contains(where: found.hasPrefix) && found.utf8.count < 100
            throw .otherIssuer(isKnown ? found.shown : "another issuer", expected: expected)
        }
    }
}
