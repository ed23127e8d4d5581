/// The operations on one account that operators need, in the store and in Firebase's directory.
package protocol OperatedAccounts: Sendable {
    func account(uid: String) async throws(StoreError) -> StoredAccount?

    /// Disables or enables an account.
    ///
    /// - Returns: Whether the account exists.
    func setDisabled(_ isDisabled: Bool, uid: String) async throws(StoreError) -> Bool
}
