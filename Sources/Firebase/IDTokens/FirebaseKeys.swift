package import JOSE
internal import Jansson
package import Standards
package import Transport

/// The public keys of Firebase, in both formats in which Google publishes them.
package enum FirebaseKeys {
    /// Returns the key document of a URL, which is fetched at its first use and cached as its `Cache-Control` says.
    package static func document(
        at url: String, transport: HTTPTransport, time: TimeSource,
        onFailure: @escaping @Sendable (DocumentError) -> Void = { _ in }
    ) -> CachedDocument<JWKSet> {
        CachedDocument(at: url, transport: transport, time: time, onFailure: onFailure, parse: parse)
    }

    /// Reads a JWK set, which contains an array `keys`, or a JSON object of certificates by key id.
    ///
    /// - Parameter bytes: The document.
    /// - Returns: The keys.
    /// - Throws: `JOSEError.malformedKeySet` also if the document contains no usable key, so that it never replaces a
    ///   good one.
    package static func parse(_ bytes: [UInt8]) throws(JOSEError) -> JWKSet {
        let document = try? JSON.parse(bytes, maximumBytes: JWKSet.maximumBytes, maximumDepth: 8)
        let keys =
            document?["keys"]?.array == nil ? try JWKSet.parse(certificates: bytes) : try JWKSet.parse(bytes)
        guard keys.keys.contains(where: { $0.algorithms == [.rs256] && $0.id != nil }) else { throw .malformedKeySet }
        return keys
    }
}

/// The signature rule of all tokens that Google signs: RS256, with the key of the document that the token names.
struct KeyedSignature: Sendable {
    let keys: CachedDocument<JWKSet>

    /// Verifies the signature of a token and returns its claims.
    ///
    /// If the key is unknown, the document is fetched again, at a limited rate. A token with another algorithm or without
    /// `kid` causes no fetch.
    func claims(of jws: CompactJWS) async throws(FirebaseTokenError) -> Claims {
        guard jws.header.algorithm == Algorithm.rs256.rawValue else { throw .signature(.algorithmNotAllowed) }
        guard let keyID = jws.header.keyID else { throw .noKeyID }
        let keys = try await wrapping(
            FirebaseTokenError.keys, await self.keys.refreshed { $0.keys.contains { $0.id == keyID } })
        return try wrappingNow(
            FirebaseTokenError.signature, JWSVerifier.verify(jws, keys: keys, algorithms: [.rs256]))
    }
}

/// The reason why an ID token or an App Check token of Firebase is refused.
///
/// All cases except ``keys(_:)`` concern the token.
package enum FirebaseTokenError: Error, Equatable, Sendable {
    /// The token is not a JWS, or the header of an App Check token has no `typ`.
    case malformed(JOSEError)
    /// The token is a custom token. The application has to sign in with it, and send the ID token that it gets.
    case customToken
    /// The token is a custom token in the format before 2016.
    case legacyCustomToken
    /// The token is a session cookie.
    case sessionCookie
    /// The algorithm, the key or the signature is wrong.
    case signature(JOSEError)
    /// The header has no `kid`.
    case noKeyID
    case claims(JOSEError)
    /// The token has expired; its signature, issuer and project are right. The application has to refresh it.
    case expired
    /// The user's tenant, or the lack of one, is not allowed.
    case tenantMismatch
    /// The App Check token is for another application of the project.
    case appNotAllowed
    /// The token cannot be verified, because Google's keys cannot be fetched.
    case keys(DocumentError)
}

extension FirebaseTokenError: RefusalCause {
    /// The refusal of a Firebase ID token; that of App Check has other words.
    package var refusal: Refusal {
        switch self {
        case .expired: Refusal(.idTokenExpired, "The Firebase ID token has expired. Get a new one.", cause: self)
        case .customToken, .legacyCustomToken:
            invalid("This is a custom token. Sign in to Firebase with it, then send the Firebase ID token.")
        case .sessionCookie: invalid("This is a session cookie. Send the Firebase ID token of the user.")
        case .tenantMismatch:
            invalid("The user belongs to another tenant than this client. Send the token of a user of the same tenant.")
        // An ID token has no application; only App Check does.
        case .malformed, .signature, .noKeyID, .claims, .appNotAllowed:
            invalid(
                "This is not a Firebase ID token of this project. Send the result of getIdToken of the Firebase SDK.")
        case .keys:
            Refusal(
                .directoryUnavailable, "The public keys of Firebase ID tokens cannot be fetched.", isUnspent: true,
                cause: self)
        }
    }

    private func invalid(_ description: String) -> Refusal { Refusal(.idTokenInvalid, description, cause: self) }
}
