package import JOSE

/// Which person at a provider is which person here.
package protocol AccountDirectory: Sendable {
    /// The account of an identity; where it has none yet, the first of `candidates` that was never given to anybody
    /// becomes its uid.
    ///
    /// Looking and making are one step: of any number of callers with a new identity one makes the account, and all get
    /// the same.
    ///
    /// - Parameters:
    ///   - identity: compared byte by byte.
    ///   - candidates: uids, random enough that one will do. Not looked at for an identity that has an account.
    ///   - now: when an account that is made was made.
    /// - Returns: the account, old or new.
    /// - Throws: ``StoreError/noFreeUID`` when each candidate is somebody's, or was.
    func account(
        of identity: ExternalIdentity, candidates: [String], at now: NumericDate
    ) async throws(StoreError) -> StoredAccount

    /// Removes an account and its identities, and keeps its uid for good, so that nobody else ever gets it.
    ///
    /// The uid is kept whether or not it was somebody's. Its identities become unknown: the next sign-in makes a new
    /// account.
    ///
    /// - Returns: whether there was such an account.
    func retire(uid: String, at now: NumericDate) async throws(StoreError) -> Bool
}
