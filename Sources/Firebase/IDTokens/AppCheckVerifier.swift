package import JOSE
internal import Jansson
package import Standards

/// Verifies Firebase App Check tokens, which name the application of the project that sends a request.
///
/// Such a token does not identify the person. It may be used any number of times until it expires.
///
/// - SeeAlso: <https://firebase.google.com/docs/app-check/custom-resource-backend>
package struct AppCheckVerifier: Sendable {
    private let audience: String
    private let signature: KeyedSignature
    private let time: TimeSource

    /// Makes a verifier for the App Check tokens of a project.
    ///
    /// - Parameters:
    ///   - projectID: The project's id, not its number.
    ///   - keys: A document of ``FirebaseKeys``.
    package init(projectID: String, keys: CachedDocument<JWKSet>, time: TimeSource) {
        audience = "projects/" + projectID
        signature = KeyedSignature(keys: keys)
        self.time = time
    }

    /// Verifies a token.
    ///
    /// - Parameter apps: The ids of the applications that may call. If it is empty, all applications of the project
    ///   may.
    /// - Returns: The id of the application, such as `1:1234567890:ios:abcdef`.
    package func verify(_ token: String, apps: Set<String>) async throws(FirebaseTokenError) -> String {
        let jws: CompactJWS
        do throws(JOSEError) {
            jws = try CompactJWS.parse(token)
            guard jws.header.type != nil else { throw .malformedToken(.type) }
        } catch {
            throw TokenMistake(token).map(FirebaseTokenError.mistake) ?? .malformed(error)
        }
        let claims = try await signature.claims(of: jws)
        let app: String
        do {
            try checkIssuer(of: claims)
            try checkAudience(of: claims)
            try Self.times.check(claims, at: time.now())
            app = try claims.requiredText("sub")
        } catch .expired {
            throw .expired
        } catch {
            throw .claims(error)
        }
        guard !app.isEmpty else { throw .claims(.malformedClaim("sub")) }
        guard apps.isEmpty || apps.containsExactly(app) else { throw .appNotAllowed(app) }
        return app
    }

    /// The rules for the times of a token, which Firebase issues for at most seven days.
    private static let times = TimeExpectation(
        maximumAge: nil, maximumLifetime: .seconds(7 * 86_400), clockSkew: .seconds(60))

    /// Checks that `iss` is the service's address and a number.
    ///
    /// The number is the project's. It is not compared, because the configuration has only the project's id.
    private func checkIssuer(of claims: Claims) throws(JOSEError) {
        let prefix = "https://firebaseappcheck.googleapis.com/"
        let issuer = Array(try claims.requiredText("iss").utf8)
        let number = issuer.dropFirst(prefix.utf8.count)
        guard issuer.starts(with: prefix.utf8), !number.isEmpty, number.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw .issuerMismatch(expected: [prefix]) }
    }

    /// Checks that one of the audiences is the project.
    ///
    /// Real tokens have two audiences: the project's number and its id.
    private func checkAudience(of claims: Claims) throws(JOSEError) {
        guard let value = claims["aud"] else { throw .missingClaim("aud") }
        guard let audiences = value.array else { throw .malformedClaim("aud") }
        let contains = audiences.contains { $0.string?.exactlyEquals(audience) == true }
        guard contains else { throw .audienceMismatch(expected: [audience]) }
    }
}
