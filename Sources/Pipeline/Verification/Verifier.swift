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
    let spent: any SpentCredentials
    /// Whether `spent` is also the directory of accounts, so that one query spends a credential and finds its account.
    private let findsAccounts: Bool
    let time: TimeSource
    let random: RandomSource

    /// - Parameters:
    ///   - transport: Sends the calls to providers.
    ///   - spent: The records of used credentials.
    ///   - findsAccounts: Whether `spent` is also the directory of accounts.
    ///   - time: The clock.
    ///   - random: Makes the nonces of signed requests.
    package init(
        transport: HTTPTransport, spent: any SpentCredentials, findsAccounts: Bool, time: TimeSource,
        random: RandomSource
    ) {
        self.transport = transport
        self.spent = spent
        self.findsAccounts = findsAccounts
        self.time = time
        self.random = random
    }

    func spend(_ records: [SpentRecord]) async throws(VerificationError) {
        _ = try await spend(records, finding: nil)
    }

    /// Spends records, and finds the account of an identity if the same query can do so.
    ///
    /// - Parameters:
    ///   - records: The records of the credential.
    ///   - identity: The identity of the credential; `nil` to find no account.
    /// - Returns: The account; `nil` also if `spent` is not the directory of accounts.
    /// - Throws: ``VerificationError``.
    func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity?
    ) async throws(VerificationError) -> KnownIdentity? {
        let outcome: SpendOutcome
        var known: KnownIdentity?
        do throws(StoreError) {
            if let identity, findsAccounts {
                (outcome, known) = try await spent.spend(records, finding: identity, at: time.now())
            } else {
                outcome = try await spent.spend(records, at: time.now())
            }
        } catch {
            throw .store(error, givenBack: error.nothingWasWritten)
        }
        switch outcome {
        case .first: return known
        case .unwatched: throw .unwatched
        case .replayed, .expired: throw .replayed
        }
    }

    /// The provider's endpoints; without them the credential is not sent, so that it stays unspent.
    func endpoints(of openIDConnect: OpenIDConnect) async throws(VerificationError) -> OpenIDConnectEndpoints {
        try await wrapping(
            { VerificationError.provider(.document($0), givenBack: true) }, await openIDConnect.endpoints())
    }

    /// Gives records back if the failure shows that the provider did not take the credential.
    ///
    /// If the store fails, the records stay spent, so that a replay stays impossible.
    ///
    /// - Parameters:
    ///   - records: The records that were spent.
    ///   - failure: The failure of the provider.
    /// - Returns: Whether the records are free again.
    func giveBack(_ records: [SpentRecord], after failure: ProviderFailure) async -> Bool {
        guard failure.leavesCredentialUnspent else { return false }
        do {
            try await spent.giveBack(records)
            return true
        } catch {
            return false
        }
    }
}

/// Why a credential proves no identity.
package enum VerificationError: Error, Equatable, Sendable {
    /// A rule of the ID token failed.
    case idToken(JOSEError)
    /// The ID token, or the nonce that was sent with the credential, was used before.
    case replayed
    /// The ID token or the nonce is older than the store's records, so that an earlier use may be unrecorded.
    case unwatched
    /// The credential does not say for which client it was issued, and the provider has no introspection endpoint.
    case audienceUnverifiable
    /// The provider's introspection names another client.
    case audienceMismatch
    /// The provider refuses the tokens under this server's signature, or calls them inactive.
    case tokenRejected
    /// A failure of the provider.
    ///
    /// If `givenBack` is true, the same request may be sent again.
    case provider(ProviderFailure, givenBack: Bool)
    /// A failure of the store.
    ///
    /// If `givenBack` is true, nothing was spent, neither here nor at the provider.
    case store(StoreError, givenBack: Bool)
    case random(RandomFailure)
}
