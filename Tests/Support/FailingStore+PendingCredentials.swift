package import JOSE
internal import SQLiteStores
package import Stores

extension FailingStore: PendingCredentials {
    package func keep(_ pending: PendingCredential) async throws(StoreError) {
        try await perform(.keepPendingCredential) { () async throws(StoreError) in try await base.keep(pending) }
    }

    package func find(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await perform(.findPendingCredential) { () async throws(StoreError) in try await base.find(claim, at: now) }
    }

    package func redeem(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await perform(.redeemPendingCredential) { () async throws(StoreError) in
            let outcome = try await base.redeem(claim, at: now)
            if case .redeemed(let pending) = outcome { note([pending.record]) }
            return outcome
        }
    }

    package func giveBack(_ pending: PendingCredential) async throws(StoreError) {
        try await perform(.giveBackPendingCredential) { () async throws(StoreError) in
            try await base.giveBack(pending)
            noteReturned([pending.record])
        }
    }

    package func sweepPendingCredentials(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await perform(.sweep) { () async throws(StoreError) in
            try await base.sweepPendingCredentials(expiredBefore: moment, atMost: limit)
        }
    }
}
