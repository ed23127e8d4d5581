package import JOSE
package import Providers
package import Standards
package import Stores
package import Transport

/// Verifies credentials of providers and returns the identity that they prove.
///
/// All expected values come from the configuration or from the flow that this server started, never from the
/// credential. The methods are in one file for each kind of credential. Every credential that may be used once is spent
/// before its identity is returned: here, or by the ``Exchanger``.
package struct Verifier: Sendable {
    let transport: HTTPTransport
    let singleUse: SingleUse
    /// Whether the store of `singleUse` is also the directory of accounts, so that one query spends a credential and
    /// finds its account.
    private let findsAccounts: Bool
    let time: TimeSource
    let random: RandomSource

    /// - Parameters:
    ///   - findsAccounts: Whether the store of `singleUse` is also the directory of accounts.
    ///   - random: Makes the nonces of signed requests.
    package init(
        transport: HTTPTransport, singleUse: SingleUse, findsAccounts: Bool, time: TimeSource,
        random: RandomSource
    ) {
        self.transport = transport
        self.singleUse = singleUse
        self.findsAccounts = findsAccounts
        self.time = time
        self.random = random
    }

    /// Verifies the tokens of a grant that the provider has spent, so that no error leaves it unspent.
    func redeemed(
        _ verify: () async throws -> VerifiedIdentity
    ) async throws(Refusal) -> VerifiedIdentity {
        do {
            return try await verify()
        } catch {
            throw Refusal(error).ofIssuedTokenIfAtFault.spent
        }
    }

    /// Spends records, and finds the account of an identity if the same query can do so.
    ///
    /// - Parameter identity: The identity of the credential; `nil` to find no account.
    /// - Returns: The account; `nil` also if another component is the directory of accounts.
    /// - Throws: As ``SingleUse/spend(_:)`` does.
    @discardableResult func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity? = nil
    ) async throws -> KnownIdentity? {
        if let identity, findsAccounts { return try await singleUse.spend(records, finding: identity) }
        try await singleUse.spend(records)
        return nil
    }
}

extension JOSEError: RefusalCause {
    /// One reason for the format of an ID token, and one for each rule about its content.
    package var refusal: Refusal {
        switch self {
        case .malformedBase64URL, .malformedToken, .encrypted, .tooLarge, .criticalHeader, .typeNotAllowed,
            .malformedKeySet:
            refusal(
                .malformedToken,
                "The token is malformed or too long, or is no ID token. Send the ID token, and no access token, as the "
                    + "provider issued it.")
        case .lifetimeTooLong:
            refusal(
                .lifetimeTooLong,
                "The lifetime of the ID token is longer than max_lifetime of the provider in the configuration allows.")
        case .algorithmNotAllowed, .keyForOtherAlgorithm:
            refusal(
                .algorithmNotAllowed,
                "The ID token is signed with an algorithm that is not allowed for this provider. Send the id of the provider "
                    + "that issued it. If it is right, the operator must act, see the server log.")
        case .unknownKey:
            refusal(
                .unknownKey,
                "The provider does not publish the key of this ID token. Send the id of the provider that issued it. If it is "
                    + "right and the token is new, the operator must act, see the server log.")
        case .signatureInvalid:
            refusal(
                .signatureInvalid,
                "The signature of the ID token is not valid. Send the token as the provider issued it.")
        case .missingClaim("iss"), .malformedClaim("iss"), .issuerMismatch:
            refusal(
                .issuerMismatch,
                "The ID token was issued by another issuer. Send the id of the provider that issued it.")
        case .severalAudiences, .missingClaim("azp"):
            refusal(
                .audienceMismatch,
                "The ID token names a further audience that is not trusted, or several and no azp. Send one whose aud is "
                    + "only a client id of this deployment; otherwise the operator must act, see the server log.")
        case .missingClaim("aud"), .malformedClaim("aud"), .audienceMismatch:
            refusal(
                .audienceMismatch,
                "The token was issued for another audience. Send an ID token, and no access token, whose aud is a client id of this "
                    + "deployment.")
        case .malformedClaim("azp"), .authorizedPartyMismatch:
            refusal(
                .audienceMismatch,
                "The ID token was issued to another client. Send one whose azp is a client id of this deployment.")
        case .missingClaim("nonce"), .malformedClaim("nonce"), .nonceMismatch:
            refusal(
                .nonceMismatch,
                "The nonce does not match the ID token. Begin the sign-in again. If you sent the nonce, send the one that belongs to "
                    + "this ID token.")
        case .missingClaim("at_hash"), .malformedClaim("at_hash"), .accessTokenHashMismatch:
            refusal(
                .accessTokenHashMismatch,
                "The access token does not match at_hash of the ID token. Send the two that were issued together.")
        case .missingClaim("auth_time"), .malformedClaim("auth_time"): .freshLoginUnproven
        case .forbiddenClaim:
            refusal(
                .malformedToken,
                "The token is about an event, such as a logout, and is no ID token. Send the ID token of the sign-in.")
        case .missingClaim, .malformedClaim:
            refusal(
                .malformedToken,
                "A required claim of the ID token is missing or malformed. Send the token as the provider issued it.")
        case .expired: refusal(.expired, "The ID token has expired. Sign in at the provider again.")
        case .issuedInFuture, .notYetValid:
            refusal(.notYetValid, "The ID token is not valid yet. Send it later, and check the clock of the server.")
        case .tooOld: refusal(.tooOld, "The ID token is too old. Sign in at the provider again.")
        case .authenticationTooOld:
            refusal(
                .tooOld,
                "The login at the provider is older than max_age allows. Begin again with prompt=login as well, or send another ID "
                    + "token.")
        }
    }

    private func refusal(_ reason: Reason, _ description: String) -> Refusal {
        Refusal(reason, description, finding: sentence, cause: self)
    }
}

extension JOSEError: AdvisingCause {
    /// The instruction for tokens that a provider sends itself, and for those that anyone can post.
    package var advice: String? {
        switch self {
        case .malformedBase64URL:
            "A token consists of letters, digits, hyphens, underscores and two dots: an application has to leave out quotation marks, "
                + "blanks, = and the word Bearer."
        case .encrypted:
            "If the provider encrypts its ID tokens for this client, switch that off in the provider's settings "
                + "(id_token_encrypted_response_alg). If an application sent the token, it may be an access token, such as one of Auth0."
        case .typeNotAllowed:
            "The token is another kind of JWT than the expected one, such as an access token (at+jwt) in place of an ID token (JWT). "
                + "If the provider sent it, compare the settings of this client there; if an application did, it has to send the other one."
        case .accessTokenHashMismatch, .malformedClaim("at_hash"):
            "The at_hash of the ID token is not that of the access token (OpenID Connect Core section 3.1.3.6). If an application sent "
                + "both, it has to send two that were issued together; otherwise the provider has to correct it."
        case .issuedInFuture, .notYetValid:
            "Synchronize the clock of this machine with NTP; if it is right (token-exchange doctor compares it with others), the times of "
                + "the provider are ahead. clock_skew of the provider allows up to 5m."
        case .expired:
            "If the provider had just issued the token, synchronize the clock of this machine with NTP; if it is right (token-exchange "
                + "doctor compares it with others), the times of the provider are behind. Otherwise the token came too late: another "
                + "sign-in, or another message of the provider, has a new one."
        case .authenticationTooOld:
            "If each sign-in with max_age ends so, the provider ignores it: let applications send prompt=login as well, or let the "
                + "provider ask for the login."
        case .malformedToken(.segments):
            "If an application sent the token, it may be an access token, which need not be a JWT. If the provider sent it, let the "
                + "provider sign the ID tokens of this client: with the algorithm none the third part is empty."
        case .malformedToken(.compressed):
            "Let the provider issue ID tokens without compression (zip) to this client."
        case .unknownKey, .keyForOtherAlgorithm:
            "Run token-exchange doctor, which tells why a key of the provider is refused, and compare endpoints.jwks, or "
                + "jwks_uri in the provider's metadata, with its documentation."
        case .signatureInvalid:
            "If other tokens of the provider with the same kid are accepted, this one was changed, or the provider has not signed "
                + "it: its sender has to send it as the provider issued it. Otherwise compare endpoints.jwks, or jwks_uri in the "
                + "provider's metadata, with its documentation; if they are right, the provider has to publish the key that it "
                + "signs with."
        default: nil
        }
    }

    /// Whether the provider, or the configuration, is at fault if the provider sends such a token for a code.
    ///
    /// The other errors may be those of a person who was slow, or of an attacker who injected a code.
    fileprivate var isOfIssuer: Bool {
        switch self {
        case .nonceMismatch, .authenticationTooOld: false
        default: true
        }
    }
}

extension Refusal {
    /// ``ofIssuedToken`` if a token is refused, and neither a slow person nor an injected code can be the reason.
    var ofIssuedTokenIfAtFault: Refusal {
        let fault = cause as? JOSEError ?? (cause as? ClaimsMismatch)?.error
        return fault?.isOfIssuer == true ? ofIssuedToken : self
    }

    /// The same refusal of a token that the provider has sent to this server, so that the application can do nothing.
    package var ofIssuedToken: Refusal {
        Refusal(
            reason,
            "The provider sent a token that this server refuses. The operator must act, see the server log.",
            finding: finding, detail, error: error, retry: retry, cause: cause
        ).quoting(words).concerningOperator
    }

    package static let freshLoginUnproven = Refusal(
        .freshLoginUnproven,
        "The ID token has no valid auth_time, so the time of the sign-in is unknown. In a sign-in, omit max_age. To "
            + "reauthenticate at a provider that never sends auth_time, set its reauthentication to prompt in the "
            + "configuration, and begin a flow with intent=reauthenticate.")
}

/// A person at a provider, proven by a credential that was issued to this server's client, is fresh, and was unused.
///
/// Only this target makes one: the memberwise initializer is internal. A value of this type therefore is the proof.
package struct VerifiedIdentity: Sendable {
    package let provider: ProviderID
    /// The provider's identifier of the person: Yahoo's `sub`, X's numeric id.
    ///
    /// It is never an e-mail address or a screen name, which can change hands.
    package let subject: Subject
    package let profile: Profile
    let profileState: ProfileState
    /// Why the provider refuses a part of the profile permanently, until an operator changes the registration.
    package let profileRefusal: ProviderFailure?
    package let audienceProof: AudienceProof
    /// The time of the person's login at the provider; `nil` if the provider does not send it.
    package let authenticatedAt: NumericDate?
    /// The provider's tokens, for applications that the configuration allows to have them.
    package let tokens: ReturnedTokens
    var answer = ProviderAnswer.none
    /// The spent records that may be given back as long as no token was issued.
    ///
    /// It is empty if the provider has spent the credential as well.
    package let returnable: [SpentRecord]
    /// The account that had the identity when its credential was spent; `nil` if there is none, or it was not looked
    /// up.
    ///
    /// It is set only if no call to a provider followed, because the account could have changed meanwhile.
    package internal(set) var known: KnownIdentity?

    /// Whether the profile contains all that the provider discloses.
    ///
    /// An account that is created without its e-mail address would never be found by it.
    package var isProfileWhole: Bool {
        if case .whole = profileState { true } else { false }
    }
}

/// The completeness of a profile.
package enum ProfileState: Sendable {
    /// The profile contains all that the provider discloses.
    case whole
    /// A further call would complete it.
    case unfetched(ProfileCall)
    /// A further call would have completed it. It is no longer possible, because its token was not kept.
    case missing
}

/// The call that completes the profile of a verified identity.
package struct ProfileCall: Sendable {
    let provider: Provider
    let source: Source

    enum Source: Sendable {
        /// The userinfo endpoint (OpenID Connect Core §5.3).
        case userInfo(AccessToken, OpenIDConnect)
        case user(TokenCredentials, OAuth1)
        /// The list of addresses, beside a user endpoint that has been called.
        case emails(AccessToken, EmailEndpoint)
    }
}

/// The provider's own tokens, for the application that the person signs in to.
package struct ReturnedTokens: Sendable {
    package let accessToken: Secret?
    package let idToken: Secret?
    package let refreshToken: Secret?
    package let oauthTokenSecret: Secret?
    /// Seconds.
    package let expiresIn: Int64?
    package let scope: String?
}
