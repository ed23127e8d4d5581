package import JOSE
package import Standards
package import Stores

extension AccountAdministration {
    /// Retires at most `limit` anonymous accounts whose deletion time has passed.
    package func sweepAnonymous(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> [UID] {
        try await sweepAnonymous(staleAnonymous(at: now, atMost: limit), at: now)
    }
}
