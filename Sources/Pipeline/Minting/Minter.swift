internal import Accounts
package import Firebase
package import JOSE
package import Jansson
package import OpenSSL
package import SecondFactors
package import Standards
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
    ///   - cleared: The account of a person who was verified, or an anonymous one.
    ///   - client: The application, for the claim templates.
    ///   - lifetime: At most an hour. Until then Firebase accepts the token any number of times.
    ///   - tenantID: The tenant of the configuration, never a value of the caller.
    ///   - reauthentication: Proof of a fresh login, which becomes a claim; `nil` for a sign-in.
    ///   - added: Claims of hooks, which replace those of the templates.
    package func mint(
        _ cleared: ClearedAccount, for client: ClientID, lifetime: Duration, tenantID: String?,
        reauthentication: Reauthentication? = nil, adding added: HookClaims = .none
    ) async throws(MintingError) -> CustomToken {
        let uid = cleared.account.uid
        let claims = CustomTokenClaims(
            uid: uid.text,
            developerClaims: try templates.claims(
                for: cleared, client: client, reauthentication: reauthentication, adding: added),
            tenantID: tenantID, issuedAt: time.now(), lifetime: lifetime)
        // The client has gone. What was spent for it is given back.
        guard !Task.isCancelled else { throw .cancelled }
        let token = try await signer.sign(claims)
        return CustomToken(secret: Secret(token), uid: uid, expiresIn: claims.expiresIn)
    }

    /// Checks that the token of an account could contain the claims of hooks.
    ///
    /// - Throws: ``MintingError/claimsTooLarge(bytes:)`` if they are too long together with those of the templates.
    package func check(
        _ added: HookClaims, for cleared: ClearedAccount, client: ClientID, reauthentication: Reauthentication?
    ) throws(MintingError) {
        _ = try templates.claims(for: cleared, client: client, reauthentication: reauthentication, adding: added)
    }

    /// Whether a token that is requested now would be refused as ``MintingError/overloaded``.
    package var isOverloaded: Bool { signer.isOverloaded }

    /// Checks that the signer works, for readiness.
    package func check() async throws(MintingError) {
        try await signer.check(at: time.now())
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
    /// Google's signing service refuses.
    case refused(ServiceAccountRefusal)
    /// The response of Google's signing service contains no signature.
    case malformedResponse
    /// The process that holds the key did not sign.
    case process(SignerProcessError)
}

extension MintingError {
    /// The failure in words, for an operator.
    package var sentence: String {
        switch self {
        case .uidLength: "a uid has 1 to 128 UTF-16 code units"
        case .reservedClaim(let name): "Firebase reserves the claim \(name)"
        case .claimsTooLarge(let bytes): "the developer claims have \(bytes) bytes, which Firebase does not accept"
        case .overloaded: "too many signatures are requested now"
        case .cancelled: "the call was cancelled"
        case .key(let error): "OpenSSL did not sign with the key: \(error.reasons.joined(separator: "; "))"
        case .unknownServiceAccount: "the metadata server does not name the service account of this machine"
        case .accessToken(let error): "there is no access token: \(error.sentence)"
        case .unreachable(let error): error.sentence
        case .refused(let refusal): refusal.description
        case .malformedResponse: "the answer of Google's signing service has no signature"
        case .process(.unreachable): "the signer does not answer"
        case .process(.refused(let refusal)): "the signer refuses: \(refusal.rawValue)"
        case .process(.malformedAnswer): "the answer of the signer cannot be read, or is not what was asked"
        case .process(.otherKey): "the answer is not signed with the key that the signer had before"
        }
    }
}

extension MintingError: AdvisingCause {
    /// The instruction for the operator; `nil` if the failure may pass.
    package var advice: String? {
        switch self {
        case .accessToken(let error): error.advice
        case .unreachable(let error): error.advice(mayBeProvider: false)
        case .refused(let refusal): refusal.remedy
        case .unknownServiceAccount:
            "If this machine is not on Google Cloud, name a file as firebase.google_credentials. Otherwise attach a service "
                + "account to it, or write the address of one as firebase.iam_service_account, as on GKE."
        case .process: "If it lasts: token-exchange doctor asks the signer too, and names what to change."
        default: nil
        }
    }
}

extension MintingError: RefusalCause {
    /// Nothing was issued.
    package var refusal: Refusal {
        switch self {
        case .refused(let refusal) where refusal.isLasting,
            .accessToken(.impersonationRefused(let refusal)) where refusal.isLasting:
            Refusal(
                .signerUnavailable,
                "The server cannot sign tokens until its operator changes permissions at Google. Report the request_id to "
                    + "the operator.",
                finding: refusal.description, retry: .never, isUnspent: true, cause: self)
        case .overloaded, .cancelled, .key, .unknownServiceAccount, .accessToken, .unreachable, .refused,
            .malformedResponse, .process:
            Refusal(
                .signerUnavailable,
                "The server cannot sign tokens now. Do what retry says, or begin again after a redirect.",
                finding: sentence, isUnspent: true, cause: self)
        case .claimsTooLarge:
            // The reason of a profile that cannot be used: it is the profile that makes the claims of one person too long.
            Refusal(
                .providerResponseInvalid,
                "The claims of this user are longer than 1000 bytes. The operator must shorten them in the configuration "
                    + "or in the hooks.",
                finding: sentence, retry: .never, isUnspent: true, cause: self)
        case .reservedClaim, .uidLength: .internalError(self, finding: sentence).unspent
        }
    }
}

/// The payload of a Firebase custom token: these members and no others.
///
/// `{"aud","claims","exp","iat","iss","sub","tenant_id","uid"}`. `claims` and `tenant_id` are left out if they are
/// empty. Only this target makes one: its signature signs a person in as `uid`.
///
/// - SeeAlso: <https://firebase.google.com/docs/auth/admin/create-custom-tokens>
package struct CustomTokenClaims: Sendable {
    package static let audience = IdentityToolkit.customTokenAudience
    /// Firebase accepts no token that lives longer.
    static let maximumLifetime = Duration.seconds(3600)

    /// 1 to 128 UTF-16 code units; not checked here.
    let uid: String
    let developerClaims: DeveloperClaims
    let tenantID: String?
    let issuedAt: NumericDate
    /// At most ``maximumLifetime``.
    let lifetime: Duration

    /// - Parameters:
    ///   - uid: The user that the token signs in.
    ///   - tenantID: The Identity Platform tenant of the user; `nil` for none.
    ///   - lifetime: A longer one than an hour is shortened to an hour.
    init(
        uid: String, developerClaims: DeveloperClaims, tenantID: String?, issuedAt: NumericDate, lifetime: Duration
    ) {
        self.uid = uid
        self.developerClaims = developerClaims
        self.tenantID = tenantID
        self.issuedAt = issuedAt
        self.lifetime = min(lifetime, Self.maximumLifetime)
    }

    /// Seconds.
    var expiresIn: Int64 { lifetime.components.seconds }

    func payload(issuer: String) -> JSON {
        var members: [String: JSON] = [
            "aud": .string(Self.audience),
            "iss": .string(issuer),
            "sub": .string(issuer),
            "iat": .integer(issuedAt.seconds),
            "exp": .integer((issuedAt + lifetime).seconds),
            "uid": .string(uid),
        ]
        if !developerClaims.members.isEmpty {
            members["claims"] = .object(developerClaims.members)
        }
        if let tenantID {
            members["tenant_id"] = .string(tenantID)
        }
        return .object(members)
    }
}

/// Claims of the deployment in a custom token, which Firebase copies to the top level of its ID tokens.
package struct DeveloperClaims: Sendable, Equatable {
    package static let maximumBytes = 1000

    /// Names that the admin SDKs reserve, or that Firebase overwrites in its ID tokens.
    package static let reservedNames: Set<String> = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "claims", "cnf", "email", "email_verified",
        "exp", "firebase", "iat", "iss", "jti", "nbf", "nonce", "phone_number", "provider_id", "sub", "uid",
        "user_id",
    ]

    package static let none = DeveloperClaims()

    package let members: [String: JSON]

    /// - Throws: ``MintingError/reservedClaim(_:)`` with the alphabetically first reserved name;
    ///   ``MintingError/claimsTooLarge(bytes:)`` for more than 1000 bytes of JSON.
    package init(_ members: [String: JSON]) throws(MintingError) {
        if let name = members.keys.filter(Self.reservedNames.contains).min() { throw .reservedClaim(name) }
        let claims = JSON.object(members)
        if claims.serializedCountLimit > Self.maximumBytes {
            let size = claims.serialized().count
            guard size <= Self.maximumBytes else { throw .claimsTooLarge(bytes: size) }
        }
        self.members = members
    }

    private init() {
        members = [:]
    }
}
