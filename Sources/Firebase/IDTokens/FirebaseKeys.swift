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
    /// The application sent something else in place of the token, as the text shows.
    case mistake(TokenMistake)
    /// The token is a custom token. The application has to sign in with it, and send the ID token that it gets.
    case customToken
    /// The token is a custom token in the format before 2016.
    case legacyCustomToken
    /// The token is a session cookie.
    case sessionCookie
    /// The token is of another project, or of another issuer. The text is a cleared claim that nothing has verified.
    case otherIssuer(String, expected: String)
    /// The algorithm, the key or the signature is wrong.
    case signature(JOSEError)
    /// The header has no `kid`.
    case noKeyID
    case claims(JOSEError)
    /// The token has expired; its signature, issuer and project are right. The application has to refresh it.
    case expired
    /// The user's tenant, or the lack of one, is not allowed. The token is verified; `nil` stands for no tenant.
    case tenantMismatch(found: String?, expected: [String?])
    /// The App Check token is for another application of the project, which has this id.
    case appNotAllowed(String)
    /// The token cannot be verified, because Google's keys cannot be fetched.
    case keys(DocumentError)
}

extension FirebaseTokenError: RefusalCause {
    /// The refusal of a Firebase ID token; that of App Check has other words.
    package var refusal: Refusal {
        switch self {
        case .expired:
            Refusal(
                .idTokenExpired,
                "The Firebase ID token has expired. Get a new one. If that is refused as well, the clock of the server is wrong.",
                finding: sentence, cause: self)
        case .mistake(let mistake): invalid(mistake.description)
        case .customToken:
            invalid("This is a custom token. Sign in to Firebase with it, then send the Firebase ID token.")
        case .legacyCustomToken:
            invalid(
                "This is a custom token in the format before 2016, which Firebase no longer accepts. Sign in to Firebase with "
                    + "a custom token of this server, then send the Firebase ID token.")
        case .sessionCookie: invalid("This is a session cookie. Send the Firebase ID token of the user.")
        case .tenantMismatch:
            invalid(
                "The user belongs to another tenant than this client, or than the server if the request names no client_id. Send "
                    + "client_id, and the token of a user of its tenant.")
        case .claims(.issuedInFuture):
            invalid(
                "By the clock of this server the Firebase ID token was issued in the future. Send it again later; if that does "
                    + "not help, that clock is wrong.")
        // An ID token has no application; only App Check does.
        case .malformed, .otherIssuer, .signature, .noKeyID, .claims, .appNotAllowed:
            invalid(
                "This is not a current Firebase ID token of this project. Send the result of getIdToken of the Firebase SDK, which must "
                    + "use the Firebase emulator only if this server does.")
        case .keys:
            Refusal(
                .directoryUnavailable,
                "The public keys of Firebase ID tokens cannot be fetched. Retry after the time in Retry-After.",
                finding: sentence, isUnspent: true, cause: self)
        }
    }

    private func invalid(_ description: String) -> Refusal {
        Refusal(.idTokenInvalid, description, finding: sentence, cause: self)
    }

    /// The error in words, for an operator.
    package var sentence: String {
        switch self {
        case .signature(.unknownKey):
            "Google publishes no key with the kid of the token: it is weeks old, or of another issuer"
        case .malformed(let error), .signature(let error), .claims(let error): error.sentence
        case .mistake(let mistake): mistake.sentence
        case .customToken: "the token is a custom token"
        case .legacyCustomToken:
            "the token is a custom token in the format before 2016, which Firebase no longer accepts"
        case .sessionCookie: "the token is a session cookie of Firebase"
        case .otherIssuer(let found, let expected): "iss of the token is \(found), and must be \(expected)"
        case .noKeyID: "the header of the token has no kid, as that of the Auth emulator"
        case .expired: "the token has expired, or the clock of this machine is wrong"
        case .tenantMismatch(let found, let expected):
            "the tenant of the user is \(found?.shown ?? "none"), and must be "
                + Set(expected.map { $0 ?? "none" }).sorted().joined(separator: " or ")
        case .appNotAllowed(let app):
            "the App Check token is that of the application \(app.shown), which app_check_apps of the client does not name"
        case .keys(let error): "the public keys of Firebase cannot be fetched from Google: \(error.sentence)"
        }
    }
}

/// What an application sends by mistake in place of a token.
///
/// All of it is refused: the kind only makes the error more precise.
package enum TokenMistake: Equatable, Sendable {
    /// What a program writes for a value that it does not have (yet), such as `undefined`.
    case missingValue
    /// The word `Bearer` as a part of the token: `Authorization` has it already, and `X-Firebase-AppCheck` has none.
    case beginsWithScheme
    /// Quotation marks around the token.
    case quoted
    /// What an App Check SDK sends if it could get no token: an error as base64 of JSON.
    case appCheckPlaceholder
    /// The debug token of App Check, which its SDK exchanges for a token.
    case appCheckDebugToken

    private static let missingValues = [
        "undefined", "null", "nil", "none", "nan", "[object object]", "[object promise]",
    ]

    /// Recognizes a mistake; `nil` for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= 16_384 else { return nil }
        let lower = text.lowercased()
        if Self.missingValues.contains(lower) {
            self = .missingValue
        } else if lower == "bearer" || lower.hasPrefix("bearer ") {
            self = .beginsWithScheme
        } else if text.hasPrefix("\"") || text.hasPrefix("'") {
            self = .quoted
        } else if text.utf8.count <= 256, let octets = Base64.decode(text), (try? JSON.parse(octets))?["error"] != nil {
            self = .appCheckPlaceholder
        } else if lower.wholeMatch(of: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil {
            self = .appCheckDebugToken
        } else {
            return nil
        }
    }

    /// The mistake in words, for an operator.
    var sentence: String {
        switch self {
        case .missingValue: "the token is what a program writes for a missing value, such as undefined or null"
        case .beginsWithScheme: "the token itself begins with the word Bearer"
        case .quoted: "the token stands in quotation marks"
        case .appCheckPlaceholder:
            "the token is the placeholder of an App Check SDK that could get none (error in base64, such as UNKNOWN_ERROR)"
        case .appCheckDebugToken: "the token is a debug token of App Check, which is not sent itself"
        }
    }

    /// The mistake and its remedy, for the application developer.
    package var description: String {
        switch self {
        case .missingValue:
            "The token is what a program writes for a missing value, such as undefined or null. Wait until the SDK has the "
                + "token of a signed-in user or app, and send it."
        case .beginsWithScheme: "The token itself begins with the word Bearer. Send it without that word."
        case .quoted: "The token stands in quotation marks. Send it without them."
        case .appCheckPlaceholder:
            "The App Check SDK could get no token and sent its placeholder. Look for its error in the log of the app, and check "
                + "the registration of the app and of its attestation in the Firebase console."
        case .appCheckDebugToken:
            "This is a debug token of App Check. Register it in the Firebase console, and send the token that the SDK gets for "
                + "it."
        }
    }
}
