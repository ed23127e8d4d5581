internal import Accounts
internal import JOSE
package import SecondFactors
package import Standards
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
    ///   - givingBack: Makes the credential usable again if nothing was stored, and returns whether that succeeded.
    /// - Returns: The admitted account.
    /// - Throws: ``SignInError/challenge(_:)`` with the handle, or the error of the store.
    func admitted(
        _ account: Account, of identity: VerifiedIdentity, isLinked: Bool, proving factor: ProvenFactor?,
        for client: RegisteredClient, givingBack: () async -> Bool
    ) async throws(SignInError) -> AdmittedAccount {
        do {
            if let admitted = try await secondFactors.admit(
                account, tenantID: rules.tenantID(of: client), proving: factor)
            {
                return admitted
            }
        } catch {
            throw await .secondFactor(error, givingBack: givingBack)
        }
        let handle = try await conflicts.keep(
            identity, isLinked: isLinked, for: client, waitingFor: account.uid, givingBack: givingBack)
        throw .challenge(FactorChallenge(pendingCredential: handle))
    }

    /// Admits the account of a caller.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - caller: The caller, who has proven the second factor if there is one.
    ///   - givingBack: Makes the credential usable again, and returns whether that succeeded.
    /// - Returns: The admitted account.
    /// - Throws: ``SignInError/secondFactor(_:)`` for another account.
    func admitted(
        _ account: Account, of caller: CheckedCaller, givingBack: () async -> Bool
    ) async throws(SignInError) -> AdmittedAccount {
        guard let admitted = secondFactors.admit(account, of: caller) else {
            throw .secondFactor(StepFailure(.required, isUnspent: await givingBack()))
        }
        return admitted
    }

    /// Whether the sign-in of an account waits for its second factor.
    func waits(
        _ account: Account, proving factor: ProvenFactor?, for client: RegisteredClient
    ) async throws(SignInError) -> Bool {
        do {
            return try await secondFactors.admit(account, tenantID: rules.tenantID(of: client), proving: factor) == nil
        } catch {
            throw .secondFactor(StepFailure(error))
        }
    }

    /// Proves the second factor of a sign-in that waits for it.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - handle: The handle of the sign-in, which stays valid after a wrong code.
    ///   - provider: The provider in the request; `nil` if it names none.
    ///   - client: The client of the request.
    /// - Returns: The identity of the sign-in, with the proof. Giving it back makes handle and code usable again.
    /// - Throws: ``SignInError/secondFactor(_:)`` or ``SignInError/pendingCredential(_:)``.
    func prove(
        _ code: FactorCode, of handle: Secret, at provider: ProviderID? = nil, for client: RegisteredClient
    ) async throws(SignInError) -> ProvenIdentity {
        let (uid, found, record) = try await conflicts.waiting(handle, of: provider, client: client)
        AuditJournal.note(uid, found)
        let holder = secondFactors.holder(uid, tenantID: rules.tenantID(of: client))
        let factor: ProvenFactor
        do {
            factor = try await secondFactors.prove(code, of: holder, handle: record)
        } catch {
            throw .secondFactor(StepFailure(error, isUnspent: error.nothingWasWritten))
        }
        let proven: ProvenIdentity
        do {
            proven = try await conflicts.identity(
                ofPending: handle, for: .secondFactor, of: nil, by: nil, client: client)
        } catch {
            _ = await secondFactors.giveBack(factor)
            throw error
        }
        return proven.proving(factor) { [secondFactors] in
            // The handle first: without it the code alone is worth nothing.
            guard await proven.giveBack() else { return false }
            return await secondFactors.giveBack(factor)
        }
    }
}

/// A sign-in that continues with a second factor.
package struct FactorChallenge: Sendable, Equatable {
    /// The handle of the verified identity.
    package let pendingCredential: Secret
    /// The kinds of codes with which it continues.
    package let kinds = ProvenFactor.Kind.allCases

    package init(pendingCredential: Secret) {
        self.pendingCredential = pendingCredential
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.pendingCredential.matches(other.pendingCredential)
    }
}
