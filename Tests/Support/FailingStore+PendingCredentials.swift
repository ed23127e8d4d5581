package import JOSE
internal import SQLiteStores
package import Stores

extension FailingStore: PendingCredentials {
    package func keep(_ pending: PendingCredential) async throws(StoreError) {
        try await perform(.keepPendingCredential, try await base.keep(pending))
    }

    package func find(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await perform(.findPendingCredential, try await base.find(claim, at: now))
    }

    package func redeem(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await perform(.redeemPendingCredential, try await base.redeem(claim, at: now)) { outcome in
            if case .redeemed(let pending) = outcome { note([pending.record]) }
        }
    }

    package func giveBack(_ pending: PendingCredential) async throws(StoreError) {
        try await perform(.giveBackPendingCredential, try await base.giveBack(pending)) { _ in
            noteReturned([pending.record])
        }
    }

    package func sweepPendingCredentials(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await perform(.sweep, try await base.sweepPendingCredentials(expiredBefore: moment, atMost: limit))
    }
}
