package import JOSE
internal import SQLiteStores
package import Stores

extension FailingStore: EnrolledFactors {
    package func keep(
        _ factor: EnrolledFactor, expecting expectation: AccountExpectation
    ) async throws(StoreError) -> FactorDecision {
        try await perform(.changeFactors, try await base.keep(factor, expecting: expectation))
    }

    package func factors(of holder: FactorHolder) async throws(StoreError) -> FactorsOfAccount {
        try await perform(.factors, try await base.factors(of: holder))
    }

    package func confirm(
        _ id: String, expecting expectation: AccountExpectation, step: Int64, recoveryCodes: [[UInt8]],
        at now: NumericDate
    ) async throws(StoreError) -> FactorDecision {
        try await perform(
            .changeFactors,
            try await base.confirm(id, expecting: expectation, step: step, recoveryCodes: recoveryCodes, at: now))
    }

    package func beginTry(_ attempt: FactorTry, at now: NumericDate) async throws(StoreError) -> FactorTryOutcome {
        try await perform(.tryFactor, try await base.beginTry(attempt, at: now))
    }

    package func use(_ code: FactorUse, of holder: FactorHolder, at now: NumericDate) async throws(StoreError) -> Bool {
        try await perform(.useFactor, try await base.use(code, of: holder, at: now))
    }

    package func giveBack(_ code: FactorUse, of holder: FactorHolder) async throws(StoreError) {
        try await perform(.giveBackFactor, try await base.giveBack(code, of: holder))
    }

    package func removeFactor(_ id: String, of holder: FactorHolder) async throws(StoreError) -> Bool {
        try await perform(.changeFactors, try await base.removeFactor(id, of: holder))
    }

    package func removeWaitingFactor(of holder: FactorHolder) async throws(StoreError) {
        try await perform(.removeWaitingFactor, try await base.removeWaitingFactor(of: holder))
    }

    package func removeFactors(of holder: FactorHolder) async throws(StoreError) {
        try await perform(.changeFactors, try await base.removeFactors(of: holder))
    }

    package func unlockFactors(of holder: FactorHolder) async throws(StoreError) {
        try await perform(.changeFactors, try await base.unlockFactors(of: holder))
    }
}
