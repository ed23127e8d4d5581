package import Accounts
internal import Firebase
package import JOSE
internal import Jansson
package import Standards
package import Stores

/// Checks the second factors of accounts before custom tokens are minted.
///
/// A factor protects the sign-ins of this server. It does not protect those at Firebase itself, such as a password.
package struct SecondFactors: Sendable {
    let store: any EnrolledFactors
    let seal: StoreSeal
    private let isPerTenant: Bool
    private let ownTenantID: String?
    let time: TimeSource
    let random: RandomSource

    /// - Parameters:
    ///   - seal: Seals the secrets of factors.
    ///   - isPerTenant: Whether the same uid in two tenants stands for two accounts.
    ///   - ownTenantID: The tenant of the deployment, whose accounts have plain names in the store; `nil` for none.
    ///   - random: The source of secrets and recovery codes.
    package init(
        store: any EnrolledFactors, seal: StoreSeal, isPerTenant: Bool, ownTenantID: String? = nil, time: TimeSource,
        random: RandomSource
    ) {
        self.store = store
        self.seal = seal
        self.isPerTenant = isPerTenant
        self.ownTenantID = ownTenantID
        self.time = time
        self.random = random
    }

    /// Returns the account of second factors.
    package func holder(_ uid: UID, tenantID: String?) -> FactorHolder {
        FactorHolder(uid: uid, tenant: isPerTenant ? tenantID ?? "" : "")
    }

    /// Returns what a change of an account expects if no caller has proven a second factor of it.
    ///
    /// - Parameter factor: The second factor that the person has proven, if any. A proof for another account does not
    ///   count.
    package func expectation(
        of uid: UID, tenantID: String?, proving factor: ProvenFactor? = nil
    ) -> AccountExpectation {
        let holder = holder(uid, tenantID: tenantID)
        return AccountExpectation(uid: uid, holder: holder, provesFactor: factor?.holder == holder)
    }

    /// Returns an expectation as the store of factors takes it, which names accounts of several tenants.
    func stored(_ checked: CheckedCaller, _ caller: Caller) -> AccountExpectation {
        let expectation = checked.expectation
        guard isPerTenant else { return expectation }
        let name = TenantName(caller.user.tenantID, besides: ownTenantID).stored(expectation.uid)
        return AccountExpectation(uid: name, holder: expectation.holder, provesFactor: expectation.provesFactor)
    }

    // MARK: - Clearance

    /// Clears an account for a custom token.
    ///
    /// - Parameter factor: The proof of a second factor, if there is one. A proof for another account does not count.
    /// - Returns: The account; `nil` if it has a second factor that was not proven.
    /// - Throws: `StoreError`.
    package func clear(
        _ account: Account, tenantID: String?, proving factor: ProvenFactor? = nil
    ) async throws -> ClearedAccount? {
        guard !account.isAnonymous else { return ClearedAccount(account: account, factor: nil) }
        let holder = holder(account.uid, tenantID: tenantID)
        let isEnrolled: Bool
        if let known = account.hasFactor { isEnrolled = known } else { isEnrolled = try await self.isEnrolled(holder) }
        guard isEnrolled else { return ClearedAccount(account: account, factor: nil) }
        guard let factor, factor.holder == holder else { return nil }
        return ClearedAccount(account: account, factor: factor)
    }

    package func isEnrolled(_ holder: FactorHolder) async throws -> Bool {
        try await !factors(of: holder).confirmed.isEmpty
    }

    /// Requires that a caller has proven the second factor of their account in the session of their ID token.
    ///
    /// - Parameter limit: The maximum age of the proof.
    /// - Returns: The caller, with the proof if the account has a second factor.
    /// - Throws: A `Refusal` for ``Reason/secondFactorRequired``, or `StoreError`.
    package func check(_ caller: Caller, within limit: Duration) async throws -> CheckedCaller {
        let holder = holder(of: caller)
        guard !caller.account.isAnonymous, try await isEnrolled(holder) else {
            return CheckedCaller(holder: holder, factor: nil)
        }
        guard let proof = ProvenFactor(of: caller, as: holder, at: time.now(), within: limit) else {
            throw Refusal.factorNotProven.spent
        }
        return CheckedCaller(holder: holder, factor: proof)
    }

    /// Returns a caller for a call that needs no proof of a second factor.
    package func unchecked(_ caller: Caller) -> CheckedCaller {
        CheckedCaller(holder: holder(of: caller), factor: nil)
    }

    /// Clears the account of a caller for a fresh custom token, with the claims of their proof.
    ///
    /// - Returns: The account; `nil` if it is not the caller's.
    package func clear(_ account: Account, of caller: CheckedCaller) -> ClearedAccount? {
        guard account.uid == caller.holder.uid else { return nil }
        return ClearedAccount(account: account, factor: caller.factor)
    }

    // MARK: - Codes

    /// Compares a code with the factors of an account, and uses it.
    ///
    /// A wrong code, a used one and one of another account lead to the same error. The try is counted before the code is
    /// compared.
    ///
    /// - Parameter handle: The handle of the sign-in; `nil` for a caller with a Firebase ID token.
    /// - Throws: A `Refusal` for a wrong code, a lock or a handle that has had its tries, or `StoreError`.
    package func prove(
        _ code: FactorCode, of holder: FactorHolder, handle: SpentRecord?
    ) async throws -> ProvenFactor {
        let now = time.now()
        let attempt = FactorTry(holder: holder, handle: handle, isRecovery: code.kind == .recoveryCode)
        let factors: [EnrolledFactor]
        switch try await store.beginTry(attempt, at: now) {
        case .allowed(let found): factors = found
        case .locked(let end): throw Refusal.locked(seconds: end.map { max(1, $0.seconds - now.seconds) })
        case .handleEnded:
            throw Refusal(.expired, "The pending_credential has had five wrong codes. Sign in again.")
        }
        guard let use = use(of: code, by: factors, of: holder, at: now),
            try await store.use(use, of: holder, at: now)
        else {
            // A recovery code is compared without the secret of a factor.
            guard code.kind == .totp, factors.contains(where: { opened($0, of: holder) == nil })
            else { throw Refusal.invalidCode }
            throw Refusal.invalidCode.unopened(.ofStore, "the secret of a second factor")
        }
        return ProvenFactor(holder: holder, kind: code.kind, at: now, use: use)
    }

    private func use(
        of code: FactorCode, by factors: [EnrolledFactor], of holder: FactorHolder, at now: NumericDate
    ) -> FactorUse? {
        switch code {
        case .recoveryCode(let code): return .recoveryCode(code.digest(for: holder))
        case .totp(let text):
            for factor in factors {
                guard let totp = opened(factor, of: holder), let step = totp.step(of: text.secretText, at: now)
                else { continue }
                return .totp(factor: factor.id, step: step, previous: factor.lastStep)
            }
            return nil
        }
    }

    /// Returns the code of a proof as what this request has spent.
    package func spent(_ factor: ProvenFactor) -> some SpentCredential {
        SpentFactorCode(factor: factor, store: store)
    }

    // MARK: - Proofs in the store

    /// Seals a proof for the store, until the application fetches the sign-in.
    package func seal(_ factor: ProvenFactor) throws -> String {
        try seal.seal(factor.json, as: .provenFactor, for: "")
    }

    /// Opens a sealed proof; returns `nil` if it was not sealed here.
    package func open(_ text: String) -> ProvenFactor? {
        seal.open(text, as: .provenFactor, for: "").flatMap(ProvenFactor.init)
    }

    // MARK: - Helpers

    func holder(of caller: Caller) -> FactorHolder { holder(caller.account.uid, tenantID: caller.user.tenantID) }

    func factors(of holder: FactorHolder) async throws -> FactorsOfAccount {
        try await store.factors(of: holder)
    }

    func opened(_ factor: EnrolledFactor, of holder: FactorHolder) -> TOTP? {
        seal.open(factor.secret, as: .factor, for: Self.sealContext(factor.id, holder))?["secret"]?.string
            .flatMap { try? Base64URL.decode($0) }.map { TOTP(secret: $0) }
    }

    static func sealContext(_ id: String, _ holder: FactorHolder) -> String {
        "\(holder.tenant)\0\(holder.uid)\0\(id)"
    }
}

/// An account whose second factor was proven, or which has none.
///
/// A custom token is minted only for such an account. Only this target makes one: the memberwise initializer is
/// internal.
package struct ClearedAccount: Sendable {
    package let account: Account
    /// The proof; `nil` if the account has no second factor.
    package let factor: ProvenFactor?
}

/// A caller who has proven the second factor of their account, or whose account has none.
///
/// Only this target makes one: the memberwise initializer is internal.
package struct CheckedCaller: Sendable {
    let holder: FactorHolder
    let factor: ProvenFactor?

    /// What a change of the caller's account expects in its transaction.
    package var expectation: AccountExpectation {
        AccountExpectation(uid: holder.uid, holder: holder, provesFactor: factor != nil)
    }
}

private struct SpentFactorCode: SpentCredential {
    let factor: ProvenFactor
    let store: any EnrolledFactors

    func giveBack() async -> Bool {
        guard let use = factor.use else { return false }
        return (try? await store.giveBack(use, of: factor.holder)) != nil
    }
}

extension FactorCode {
    fileprivate var kind: ProvenFactor.Kind {
        switch self {
        case .totp: .totp
        case .recoveryCode: .recoveryCode
        }
    }
}

extension Refusal {
    /// The code is wrong, was used before, or belongs to another account.
    package static let invalidCode = Refusal(
        .secondFactorInvalid,
        "The code is wrong or was already used. Send the next code of the authenticator application, or another recovery "
            + "code. If each code is refused, compare the clocks of the authenticator and of the server.")

    package static let tooManyFactors = Refusal(
        .tooManyFactors, "The account has five factors. Remove one first.")

    /// The account has no factor with this id, or the factor was not confirmed in time.
    package static let unknownFactor = Refusal(
        .noSuchFactor,
        "The account has no factor with this factor_id, or it was not confirmed within ten minutes. See "
            + "GET /v1/account/factors.")

    /// - Parameter seconds: The time until the lock ends; `nil` if only a recovery code, or an operator, ends it.
    /// - Returns: A refusal with that time as `Retry-After`.
    fileprivate static func locked(seconds: Int64?) -> Refusal {
        guard let seconds else {
            return Refusal(
                .secondFactorLocked,
                "There were 100 wrong codes for this account in a row. Send a recovery code, or ask the operator to end "
                    + "the lock.")
        }
        return Refusal(
            .secondFactorLocked,
            "There were too many wrong codes for this account. Send a code after the time in Retry-After.",
            .retryAfter(seconds))
    }
}
