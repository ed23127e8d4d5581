package import Documents
package import JOSE
internal import Jansson

/// Tells which application of the project a request comes from, by its Firebase App Check token.
///
/// Such a token says nothing of the person, and may be used often until it expires.
///
/// - SeeAlso: <https://firebase.google.com/docs/app-check/custom-resource-backend>
package struct AppCheckVerifier: Sendable {
    private let audience: String
    private let signature: KeyedSignature
    private let time: TimeSource

    /// - `projectID`: not the number.
    /// - `keys`: from ``FirebaseKeys``.
    package init(projectID: String, keys: CachedDocument<JWKSet>, time: TimeSource) {
        audience = "projects/" + projectID
        signature = KeyedSignature(keys: keys)
        self.time = time
    }

    /// Answers the id of the application, such as `1:1234567890:ios:abcdef`.
    ///
    /// - `apps`: those that may call; all of the project where there are none.
    package func verify(_ token: String, apps: Set<String>) async throws(AppCheckError) -> String {
        let jws: CompactJWS
        do throws(JOSEError) {
            jws = try CompactJWS.parse(token)
            guard jws.header.type != nil else { throw .malformedToken(.type) }
        } catch {
            throw .malformed(error)
        }
        let claims: Claims
        do {
            claims = try await signature.claims(of: jws)
        } catch {
            throw AppCheckError(error)
        }
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
        guard apps.isEmpty || apps.contains(where: { $0.utf8.elementsEqual(app.utf8) }) else { throw .appNotAllowed }
        return app
    }

    /// The longest that Firebase lets a token live.
    private static let times = TimeExpectation(
        maximumAge: nil, maximumLifetime: .seconds(7 * 86_400), clockSkew: .seconds(60))

    /// Behind the service's address stands the number of the project, which its id does not tell.
    private func checkIssuer(of claims: Claims) throws(JOSEError) {
        let prefix = "https://firebaseappcheck.googleapis.com/"
        let issuer = Array(try claims.requiredText("iss").utf8)
        let number = issuer.dropFirst(prefix.utf8.count)
        guard issuer.starts(with: prefix.utf8), !number.isEmpty, number.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw .issuerMismatch(expected: [prefix]) }
    }

    /// Real tokens name the project twice, by its number and by its id.
    private func checkAudience(of claims: Claims) throws(JOSEError) {
        guard let value = claims["aud"] else { throw .missingClaim("aud") }
        guard let audiences = value.array else { throw .malformedClaim("aud") }
        let contains = audiences.contains { $0.string?.utf8.elementsEqual(audience.utf8) == true }
        guard contains else { throw .audienceMismatch(expected: [audience]) }
    }
}

/// Why a request is not known to come from an application of ours.
package enum AppCheckError: Error, Equatable, Sendable {
    /// It cannot be taken apart.
    case malformed(JOSEError)
    /// Algorithm, type, key or signature is not as it has to be.
    case signature(JOSEError)
    /// The header has no `kid`.
    case noKeyID
    case claims(JOSEError)
    /// All was well with it, and its time is over.
    case expired
    /// The token is for another application of the project.
    case appNotAllowed
    /// Google's keys cannot be had, so that nobody knows.
    case keys(DocumentError)
}

extension AppCheckError {
    init(_ refusal: KeyedSignature.Refusal) {
        self =
            switch refusal {
            case .token(let error): .signature(error)
            case .noKeyID: .noKeyID
            case .keys(let error): .keys(error)
            }
    }
}
