package import JOSE
package import OAuth
internal import Providers
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
    let time: TimeSource
    let random: RandomSource

    package init(transport: HTTPTransport, spent: any SpentCredentials, time: TimeSource, random: RandomSource) {
        self.transport = transport
        self.spent = spent
        self.time = time
        self.random = random
    }

    func spend(_ records: [SpentRecord]) async throws(VerificationError) {
        let outcome: SpendOutcome
        do {
            outcome = try await spent.spend(records, at: time.now())
        } catch {
            throw .store(error, givenBack: error.nothingWasWritten)
        }
        switch outcome {
        case .first: return
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
