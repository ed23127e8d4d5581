package import Accounts
package import Firebase
package import JOSE
package import OAuth
package import OpenSSL
package import Transport

/// Makes the custom token of an account.
package struct Minter: Sendable {
    private let signer: CustomTokenSigner
    private let templates: ClaimTemplates
    private let time: TimeSource

    package init(signer: CustomTokenSigner, templates: ClaimTemplates, time: TimeSource) {
        self.signer = signer
        self.templates = templates
        self.time = time
    }

    /// Makes the token that signs the application in as the account.
    ///
    /// - Parameters:
    ///   - account: The account of a person who was verified, or an anonymous one.
    ///   - client: The application, for the claim templates.
    ///   - lifetime: At most an hour. Until then Firebase takes the token any number of times.
    ///   - tenantID: The tenant of the configuration, never a value of the caller.
    ///   - reauthentication: Proof of a fresh login, which becomes a claim; `nil` for a sign-in.
    /// - Returns: The signed token.
    /// - Throws: ``MintingError``.
    package func mint(
        _ account: Account, for client: ClientID, lifetime: Duration, tenantID: String?,
        reauthentication: Reauthentication? = nil
    ) async throws(MintingError) -> CustomToken {
        let claims = CustomTokenClaims(
            uid: account.uid.text,
            developerClaims: try templates.claims(
                for: account, client: client, reauthentication: reauthentication),
            tenantID: tenantID, issuedAt: time.now(), lifetime: lifetime)
        let token = try await signer.sign(claims)
        return CustomToken(secret: Secret(token), uid: account.uid, expiresIn: claims.expiresIn)
    }

    /// Whether a token that is requested now would be refused as ``MintingError/overloaded``.
    package var isOverloaded: Bool { signer.isOverloaded }

    /// Checks that the signer works, for readiness.
    ///
    /// The token that it signs expired two hours ago and is thrown away.
    package func check() async throws(MintingError) {
        let claims = CustomTokenClaims(
            uid: "readiness", developerClaims: .none, tenantID: nil, issuedAt: time.now() - .seconds(7200),
            lifetime: .seconds(1))
        _ = try await signer.sign(claims)
    }
}

/// A token for Firebase's `signInWithCustomToken`.
///
/// Only this target makes one: the memberwise initializer is internal.
package struct CustomToken: Sendable {
    package let secret: Secret
    package let uid: UID
    /// Seconds.
    package let expiresIn: Int64
}

/// Proof that a signed-in person has logged in at the provider once more.
package enum Reauthentication: Sendable, Equatable {
    /// The provider's time of the login, which becomes the claim `reauth_time`.
    case loggedIn(at: NumericDate)
    /// The provider was asked for a login and sends no time. The claim is `reauth_method`.
    case prompted
}

/// Why there is no custom token.
package enum MintingError: Error, Equatable, Sendable {
    /// The uid does not have 1 to 128 UTF-16 code units.
    ///
    /// Only the operator's command mints for a uid of its own choice.
    case uidLength
    /// Firebase reserves the name of a developer claim.
    case reservedClaim(String)
    /// The developer claims are longer than Firebase accepts.
    case claimsTooLarge(bytes: Int)
    /// Too many signatures are requested here, or Google refuses the call for now (429).
    case overloaded
    /// The calling task was cancelled before the signature was made.
    case cancelled
    /// OpenSSL did not sign with the service account's key.
    case key(OpenSSLError)
    /// The metadata server does not name the service account that this machine runs as.
    case unknownServiceAccount
    /// Google's signing service cannot be called without an access token.
    case accessToken(AccessTokenError)
    /// Google's signing service did not respond.
    case unreachable(TransportError)
    /// Google's signing service responded with this status.
    case refused(status: Int)
    /// The response of Google's signing service contains no signature.
    case malformedResponse
}
