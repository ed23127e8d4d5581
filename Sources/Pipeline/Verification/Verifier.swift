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
    ///   - transport: Sends the calls to providers.
    ///   - singleUse: Spends the credentials.
    ///   - findsAccounts: Whether the store of `singleUse` is also the directory of accounts.
    ///   - time: The clock.
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

    /// Spends records, and finds the account of an identity if the same query can do so.
    ///
    /// - Parameters:
    ///   - records: The records of the credential.
    ///   - identity: The identity of the credential; `nil` to find no account.
    /// - Returns: The account; `nil` also if another component is the directory of accounts.
    /// - Throws: ``VerificationError/singleUse(_:)``, unspent if nothing was written.
    @discardableResult func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity? = nil
    ) async throws(VerificationFailure) -> KnownIdentity? {
        let failure = { (error: SingleUseError) in
            VerificationFailure(.singleUse(error), isUnspent: error.leavesCredentialUnspent)
        }
        if let identity, findsAccounts {
            return try await wrapping(failure, await singleUse.spend(records, finding: identity))
        }
        try await wrapping(failure, await singleUse.spend(records))
        return nil
    }

    /// The provider's endpoints; without them the credential is not sent, so that it stays unspent.
    func endpoints(of openIDConnect: OpenIDConnect) async throws(VerificationFailure) -> OpenIDConnectEndpoints {
        try await wrapping(
            { VerificationFailure(.provider(.document($0)), isUnspent: true) }, await openIDConnect.endpoints())
    }

    /// Gives records back if the failure shows that the provider did not take the credential.
    ///
    /// - Parameters:
    ///   - records: The records that were spent.
    ///   - failure: The failure of the provider.
    /// - Returns: Whether the records are free again.
    func giveBack(_ records: [SpentRecord], after failure: ProviderFailure) async -> Bool {
        failure.leavesCredentialUnspent ? await singleUse.giveBack(records) : false
    }
}

/// Why a credential proves no identity.
package enum VerificationError: Error, Equatable, Sendable {
    /// A rule of the ID token failed.
    case idToken(JOSEError)
    /// The ID token, or the nonce that was sent with the credential, cannot be used.
    case singleUse(SingleUseError)
    /// The credential does not say for which client it was issued, and the provider has no introspection endpoint.
    case audienceUnverifiable
    /// The provider's introspection names another client.
    case audienceMismatch
    /// The provider refuses the tokens under this server's signature, or calls them inactive.
    case tokenRejected
    case provider(ProviderFailure)
    case random(RandomFailure)
}

/// An error of the verification; unspent if neither this server nor the provider has spent the credential.
package typealias VerificationFailure = StepFailure<VerificationError>

/// A person at a provider, proven by a credential that was issued to this server's client, is fresh, and was unused.
///
/// Only this target makes one: the memberwise initializer is internal. A value of this type therefore is the proof.
package struct VerifiedIdentity: Sendable {
    package let provider: ProviderID
    /// The provider's identifier of the person: Yahoo's `sub`, X's numeric id.
    ///
    /// It is never an e-mail address or a screen name, which can change hands.
    package let subject: String
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
