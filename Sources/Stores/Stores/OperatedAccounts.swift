package import Standards

/// The operations on one account that operators need, in the store and in Firebase's directory.
package protocol OperatedAccounts: Sendable {
    func account(uid: UID) async throws(StoreError) -> StoredAccount?

    /// Disables or enables an account.
    ///
    /// - Returns: Whether the account exists.
    func setDisabled(_ isDisabled: Bool, uid: UID) async throws(StoreError) -> Bool
}
