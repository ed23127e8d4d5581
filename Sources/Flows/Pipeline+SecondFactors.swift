internal import Accounts
internal import SecondFactors
internal import Standards
internal import Stores

/// The second factors of callers, and of sign-ins that wait for one.
extension Pipeline {
    /// Clears the account of a caller, who has proven the second factor if there is one.
    ///
    /// - Throws: A refusal for another account.
    func cleared(_ account: Account, of caller: CheckedCaller) throws(Refusal) -> ClearedAccount {
        guard let cleared = secondFactors.clear(account, of: caller) else { throw .factorNotProven }
        return cleared
    }

    /// Whether the sign-in of an account waits for its second factor.
    func waits(_ account: Account, proving factor: ProvenFactor?, for client: RegisteredClient) async throws -> Bool {
        try await secondFactors.clear(account, tenantID: rules.tenantID(of: client), proving: factor) == nil
    }

    /// Proves the second factor of a sign-in that waits for it.
    ///
    /// - Parameters:
    ///   - handle: The handle of the sign-in, which stays valid after a wrong code.
    ///   - provider: The provider in the request; `nil` if it names none.
    /// - Returns: The identity of the sign-in, with the proof. Its credential is the handle and the code.
    /// - Throws: The refusal of the code or of the handle.
    func prove(
        _ code: FactorCode, of handle: Secret, at provider: ProviderID? = nil, for client: RegisteredClient
    ) async throws -> ProvenIdentity {
        let (uid, found, record) = try await conflicts.waiting(handle, of: provider, client: client)
        AuditJournal.note(uid, found)
        let holder = secondFactors.holder(uid, tenantID: rules.tenantID(of: client))
        let factor = try await secondFactors.prove(code, of: holder, handle: record)
        let spentCode = secondFactors.spent(factor)
        let proven: ProvenIdentity
        do {
            proven = try await conflicts.identity(
                ofPending: handle, for: .secondFactor, of: nil, by: nil, client: client)
        } catch {
            _ = await spentCode.giveBack()
            throw error
        }
        return proven.proving(factor, spending: spentCode)
    }
}
