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
    ///   - store: The store of factors.
    ///   - seal: Seals the secrets of factors.
    ///   - isPerTenant: Whether the same uid in two tenants stands for two accounts.
    ///   - ownTenantID: The tenant of the deployment, whose accounts have plain names in the store; `nil` for none.
    ///   - time: The clock.
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
    ///
    /// - Parameters:
    ///   - uid: The uid.
    ///   - tenantID: The tenant of the user; `nil` for none.
    /// - Returns: The account.
    package func holder(_ uid: String, tenantID: String?) -> FactorHolder {
        FactorHolder(uid: uid, tenant: isPerTenant ? tenantID ?? "" : "")
    }

    /// Returns what a change of an account expects if no caller has proven a second factor of it.
    ///
    /// - Parameters:
    ///   - uid: The uid.
    ///   - tenantID: The tenant of the user; `nil` for none.
    ///   - factor: The second factor that the person has proven, if any. A proof for another account does not count.
    /// - Returns: The expectation.
    package func expectation(
        of uid: String, tenantID: String?, proving factor: ProvenFactor? = nil
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

    // MARK: - Admission

    /// Admits an account to a custom token.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - tenantID: The tenant of the user; `nil` for none.
    ///   - factor: The proof of a second factor, if there is one. A proof for another account does not count.
    /// - Returns: The account; `nil` if it has a second factor that was not proven.
    /// - Throws: ``FactorError/store(_:)``.
    package func admit(
        _ account: Account, tenantID: String?, proving factor: ProvenFactor? = nil
    ) async throws(FactorError) -> AdmittedAccount? {
        guard !account.isAnonymous else { return AdmittedAccount(account: account, factor: nil) }
        let holder = holder(account.uid.text, tenantID: tenantID)
        let isEnrolled: Bool
        if let known = account.hasFactor { isEnrolled = known } else { isEnrolled = try await self.isEnrolled(holder) }
        guard isEnrolled else { return AdmittedAccount(account: account, factor: nil) }
        guard let factor, factor.holder == holder else { return nil }
        return AdmittedAccount(account: account, factor: factor)
    }

    package func isEnrolled(_ holder: FactorHolder) async throws(FactorError) -> Bool {
        try await !factors(of: holder).confirmed.isEmpty
    }

    /// Requires that a caller has proven the second factor of their account in the session of their ID token.
    ///
    /// - Parameters:
    ///   - caller: The caller.
    ///   - limit: The maximum age of the proof.
    /// - Returns: The caller, with the proof if the account has a second factor.
    /// - Throws: ``FactorError/required``, or ``FactorError/store(_:)``.
    package func check(_ caller: Caller, within limit: Duration) async throws(FactorError) -> CheckedCaller {
        let holder = holder(of: caller)
        guard !caller.account.isAnonymous, try await isEnrolled(holder) else {
            return CheckedCaller(holder: holder, factor: nil)
        }
        guard let proof = ProvenFactor(of: caller, as: holder, at: time.now(), within: limit) else { throw .required }
        return CheckedCaller(holder: holder, factor: proof)
    }

    /// Returns a caller for a call that needs no proof of a second factor.
    package func unchecked(_ caller: Caller) -> CheckedCaller {
        CheckedCaller(holder: holder(of: caller), factor: nil)
    }

    /// Admits the account of a caller to a fresh custom token, with the claims of their proof.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - caller: The caller.
    /// - Returns: The account; `nil` if it is not the caller's.
    package func admit(_ account: Account, of caller: CheckedCaller) -> AdmittedAccount? {
        guard account.uid.text.utf8.elementsEqual(caller.holder.uid.utf8) else { return nil }
        return AdmittedAccount(account: account, factor: caller.factor)
    }

    // MARK: - Codes

    /// Compares a code with the factors of an account, and uses it.
    ///
    /// A wrong code, a used one and one of another account lead to the same error. The try is counted before the code is
    /// compared.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - holder: The account.
    ///   - handle: The handle of the sign-in; `nil` for a caller with a Firebase ID token.
    /// - Returns: The proof.
    /// - Throws: ``FactorError/invalidCode``, ``FactorError/locked(seconds:)``, ``FactorError/handleEnded``, or
    ///   ``FactorError/store(_:)``.
    package func prove(
        _ code: FactorCode, of holder: FactorHolder, handle: SpentRecord?
    ) async throws(FactorError) -> ProvenFactor {
        let now = time.now()
        let attempt = FactorTry(holder: holder, handle: handle, isRecovery: code.kind == .recoveryCode)
        let factors: [EnrolledFactor]
        switch try await wrapping(FactorError.store, await store.beginTry(attempt, at: now)) {
        case .allowed(let found): factors = found
        case .locked(let end): throw .locked(seconds: end.map { max(1, $0.seconds - now.seconds) })
        case .handleEnded: throw .handleEnded
        }
        guard let use = use(of: code, by: factors, of: holder, at: now),
            try await wrapping(FactorError.store, await store.use(use, of: holder, at: now))
        else { throw .invalidCode }
        return ProvenFactor(holder: holder, kind: code.kind, at: now, use: use)
    }

    private func use(
        of code: FactorCode, by factors: [EnrolledFactor], of holder: FactorHolder, at now: NumericDate
    ) -> FactorUse? {
        switch code {
        case .recoveryCode(let code): return .recoveryCode(code.digest(for: holder))
        case .totp(let text):
            for factor in factors {
                // A secret that was sealed with a removed store key cannot be opened.
                guard let totp = opened(factor, of: holder), let step = totp.step(of: text.secretText, at: now)
                else { continue }
                return .totp(factor: factor.id, step: step, previous: factor.lastStep)
            }
            return nil
        }
    }

    /// Makes the code of a proof usable again, because nothing was issued for it.
    ///
    /// - Parameter factor: The proof of this request.
    /// - Returns: Whether that succeeded.
    package func giveBack(_ factor: ProvenFactor) async -> Bool {
        guard let use = factor.use else { return false }
        return (try? await store.giveBack(use, of: factor.holder)) != nil
    }

    // MARK: - Proofs in the store

    /// Seals a proof for the store, until the application fetches the sign-in.
    package func seal(_ factor: ProvenFactor) throws(FactorError) -> String {
        try wrappingNow(FactorError.sealing, seal.seal(factor.json, as: .provenFactor, for: ""))
    }

    /// Opens a sealed proof; returns `nil` if it was not sealed here.
    package func open(_ text: String) -> ProvenFactor? {
        seal.open(text, as: .provenFactor, for: "").flatMap(ProvenFactor.init)
    }

    // MARK: - Helpers

    func holder(of caller: Caller) -> FactorHolder { holder(caller.account.uid, tenantID: caller.user.tenantID) }

    func factors(of holder: FactorHolder) async throws(FactorError) -> FactorsOfAccount {
        try await wrapping(FactorError.store, await store.factors(of: holder))
    }

    func opened(_ factor: EnrolledFactor, of holder: FactorHolder) -> TOTP? {
        seal.open(factor.secret, as: .factor, for: Self.sealHolder(factor.id, holder))?["secret"]?.string
            .flatMap { try? Base64URL.decode($0) }.map { TOTP(secret: $0) }
    }

    static func sealHolder(_ id: String, _ holder: FactorHolder) -> String {
        "\(holder.tenant)\0\(holder.uid)\0\(id)"
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

/// Why a second factor is missing, not proven or not changed.
package enum FactorError: Error, Equatable, Sendable {
    /// The account has a second factor, which the session of the caller has not proven recently.
    case required
    /// The code is wrong, was used before, or belongs to another account.
    case invalidCode
    /// Too many wrong codes in a row. The lock ends after this number of seconds; `nil` if only a recovery code, or an
    /// operator, ends it.
    case locked(seconds: Int64?)
    /// The sign-in of this handle has had its tries.
    case handleEnded
    /// The account has no factor with this id, or the factor was not confirmed in time.
    case unknownFactor
    /// The account has as many factors as it may have.
    case tooMany
    /// An anonymous account cannot have a second factor.
    case anonymous
    /// The account was deleted or disabled after the call was checked.
    case account(AccountError)
    case store(StoreError)
    case sealing(SealingFailure)
    case random(RandomFailure)

    /// Whether the request may be sent again: no code was used, and nothing was changed.
    package var nothingWasWritten: Bool {
        if case .store(let error) = self { error.nothingWasWritten } else { false }
    }
}
