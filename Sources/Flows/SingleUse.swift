internal import JOSE
internal import Stores
internal import Wrapping

/// Credentials and sealed values that may be used once, over the store that records their use.
struct SingleUse: Sendable {
    /// How long the record of a used code is kept: an hour, so that a second use is reported as `replayed` and not as
    /// unknown.
    static let replayRetention = Duration.seconds(3600)

    let store: any SpentCredentials
    let time: TimeSource

    /// Records the use of a session, a browser flow or a pushed request, before the provider is asked anything.
    ///
    /// - Throws: ``SignInError/callback(_:)`` with `replayed` or `unwatched`, or ``SignInError/store(_:)``.
    func spend(_ record: SpentRecord) async throws(SignInError) {
        switch try await wrapping(SignInError.store, await store.spend([record], at: time.now())) {
        case .first: return
        case .unwatched: throw .callback(.unwatched)
        case .replayed, .expired: throw .callback(.replayed)
        }
    }

    /// Deletes records, so that the same request may be sent again.
    ///
    /// - Returns: Whether the records are gone. `false` if there are none, since then the provider has spent the
    ///   credential as well.
    func giveBack(_ records: [SpentRecord]) async -> Bool {
        guard !records.isEmpty else { return false }
        return (try? await store.giveBack(records)) != nil
    }
}
