package import JOSE
package import OAuth
package import Providers
package import Stores
package import Transport
internal import Wrapping

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
