package import JOSE
package import OAuth
package import Providers
package import Stores
package import Transport

/// Answers who somebody is, or why that is not proven.
///
/// Everything that is compared comes from configuration or from the flow that we began. Its methods are in one file for
/// each kind of evidence. What is good for once is spent before an identity comes out: here, or when the grant was
/// exchanged.
package struct Verifier: Sendable {
    let transport: HTTPTransport
    let spent: any SpentCredentials
    /// Whether accounts are found where credentials are spent, so that one question does both.
    private let findsAccounts: Bool
    let time: TimeSource
    let random: RandomSource

    /// - Parameters:
    ///   - transport: for calls to providers.
    ///   - spent: the memory of what was used.
    ///   - findsAccounts: whether `spent` is also the directory of accounts.
    ///   - time: of checks and records.
    ///   - random: of nonces in signed requests.
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

    /// Spends, and finds the account of the credential's holder where that costs no further question.
    ///
    /// - Returns: nil also where accounts are found elsewhere.
    func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity?
    ) async throws(VerificationError) -> KnownIdentity? {
        let outcome: SpendOutcome
        var known: KnownIdentity?
        do {
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

    /// Whether the records are free again.
    ///
    /// A store that fails here leaves them spent, which is the safe side.
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

/// Why nobody is proven.
package enum VerificationError: Error, Equatable, Sendable {
    /// A rule of the ID token failed.
    case idToken(JOSEError)
    /// The ID token, or the nonce that came with the credential, was used before.
    case replayed
    /// The ID token or the nonce was issued before a time in which its use may not have been recorded.
    case unwatched
    /// Nothing in this kind of credential says for whom it was issued, and the provider offers no way to ask.
    case audienceUnverifiable
    /// The provider's introspection names another client.
    case audienceMismatch
    /// The provider does not take the tokens under our signature, or says that they are not active.
    case tokenRejected
    /// - givenBack: the same request may be sent again.
    case provider(ProviderFailure, givenBack: Bool)
    /// - givenBack: nothing was spent, at the provider neither.
    case store(StoreError, givenBack: Bool)
    case random(RandomFailure)
}
