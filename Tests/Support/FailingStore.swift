package import JOSE
internal import SQLiteStores
package import Stores
internal import Synchronization

/// A store in memory that records its calls and fails on request.
package final class FailingStore: Sendable {
    private struct Failure {
        let call: Int
        let error: StoreError
        let isAfterwards: Bool
        let lasts: Bool
    }

    private struct State {
        var calls: [StoreCall] = []
        var failure: Failure?
        var kept: [SpentRecord] = []
    }

    let base: SQLiteStore
    private let state = Mutex(State())

    package init(watchedSince start: NumericDate) throws(StoreError) {
        base = try SQLiteStore.inMemory(watchedSince: start)
    }

    /// The calls, in the order of arrival.
    package var calls: [StoreCall] { state.withLock { $0.calls } }

    /// The kinds of all records that were spent and not given back.
    package var spentKinds: [SpentKind] { state.withLock { $0.kept.map(\.kind) } }

    /// Makes a later call fail; 1 is the next call.
    ///
    /// If `afterwards`, the call does its work before it fails. If `lasting`, every later call fails too.
    package func fail(
        atCall call: Int, with error: StoreError = .unavailable(.busy), afterwards: Bool = false, lasting: Bool = false
    ) {
        state.withLock {
            $0.failure = Failure(
                call: $0.calls.count + call, error: error, isAfterwards: afterwards, lasts: lasting)
        }
    }

    /// Ends all failures.
    package func recover() {
        state.withLock { $0.failure = nil }
    }

    func note(_ records: [SpentRecord]) {
        state.withLock { $0.kept += records }
    }

    func noteReturned(_ records: [SpentRecord]) {
        state.withLock { $0.kept.removeAll(where: records.contains) }
    }

    func perform<Value>(
        _ call: StoreCall, _ work: @autoclosure () async throws(StoreError) -> Value,
        then note: (Value) -> Void = { _ in }
    ) async throws(StoreError) -> Value {
        let failure: Failure? = state.withLock { state in
            state.calls.append(call)
            guard let failure = state.failure,
                failure.lasts ? failure.call <= state.calls.count : failure.call == state.calls.count
            else { return nil }
            return failure
        }
        if let failure, !failure.isAfterwards { throw failure.error }
        let value = try await work()
        note(value)
        if let failure { throw failure.error }
        return value
    }
}

extension FailingStore: SpentCredentials {
    package func spend(_ records: [SpentRecord], at now: NumericDate) async throws(StoreError) -> SpendOutcome {
        try await perform(.spend(records.map(\.kind)), try await base.spend(records, at: now)) { outcome in
            if outcome == .first { note(records) }
        }
    }

    package func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity, at now: NumericDate
    ) async throws(StoreError) -> (outcome: SpendOutcome, known: KnownIdentity?) {
        try await perform(.spend(records.map(\.kind)), try await base.spend(records, finding: identity, at: now)) {
            if $0.outcome == .first { note(records) }
        }
    }

    package func isSpent(_ record: SpentRecord) async throws(StoreError) -> Bool {
        try await perform(.isSpent(record.kind), try await base.isSpent(record))
    }

    package func giveBack(_ records: [SpentRecord]) async throws(StoreError) {
        try await perform(.giveBack(records.map(\.kind)), try await base.giveBack(records)) { _ in noteReturned(records)
        }
    }

    package func sweep(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        try await perform(.sweep, try await base.sweep(expiredBefore: moment, atMost: limit))
    }
}

extension FailingStore: StoreWatch {
    package func watch(at now: NumericDate) async throws(StoreError) { try await base.watch(at: now) }

    package func watchReading() async throws(StoreError) -> WatchReading { try await base.watchReading() }

    package func warnings() async throws(StoreError) -> [StoreWarning] { try await base.warnings() }
}

extension FailingStore: StoreHealth {
    package func check() async throws(StoreError) {
        try await perform(.check, try await base.check())
    }
}
