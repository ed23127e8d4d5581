internal import Accounts
internal import JOSE
internal import SecondFactors
internal import Standards
internal import Stores
internal import Verification

/// The step between the account and the custom token: the second factor.
extension Pipeline {
    /// Admits the account of an identity, or stores the identity until its person proves the second factor.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - identity: The identity of the sign-in.
    ///   - isLinked: Whether the person has linked it to the account during this flow.
    ///   - factor: The second factor that the person has proven during this flow.
    ///   - client: The client of the request.
    /// - Returns: The cleared account.
    /// - Throws: A refusal with the handle, or the error of the store.
    func cleared(
        _ account: Account, of identity: VerifiedIdentity, isLinked: Bool, proving factor: ProvenFactor?,
        for client: RegisteredClient
    ) async throws -> ClearedAccount {
        if let cleared = try await secondFactors.clear(account, tenantID: rules.tenantID(of: client), proving: factor) {
            return cleared
        }
        let handle = try await conflicts.keep(identity, isLinked: isLinked, for: client, waitingFor: account.uid)
        throw Refusal(
            .secondFactorRequired,
            "The account has a second factor. Ask the user for a code, and send it with the pending_credential to "
                + "/v1/exchange, as a credential of the type second_factor.",
            .pending(PendingSignIn(.secondFactor(kinds: ProvenFactor.Kind.allCases.map(\.rawValue)), handle)))
    }

    /// Admits the account of a caller, who has proven the second factor if there is one.
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
    ///   - code: The code.
    ///   - handle: The handle of the sign-in, which stays valid after a wrong code.
    ///   - provider: The provider in the request; `nil` if it names none.
    ///   - client: The client of the request.
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
