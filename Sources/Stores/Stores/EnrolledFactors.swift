package import JOSE
package import Standards

/// Stores the second factors of accounts, their recovery codes, and the number of codes that were tried.
///
/// Each call is atomic.
package protocol EnrolledFactors: Sendable {
    /// Keeps a factor that is not confirmed yet.
    ///
    /// It replaces the unconfirmed one of the account, if there is one: an account has at most one.
    func keep(
        _ factor: EnrolledFactor, expecting expectation: AccountExpectation
    ) async throws(StoreError) -> FactorDecision

    func factors(of holder: FactorHolder) async throws(StoreError) -> FactorsOfAccount

    /// Confirms a factor that has not expired, and replaces the recovery codes of the account.
    ///
    /// - Parameters:
    ///   - expectation: The account. Another factor may have been confirmed since it was checked.
    ///   - step: The time step of the code. Only a later one can be used afterwards.
    ///   - recoveryCodes: The digests of the new recovery codes, 32 bytes each.
    /// - Returns: ``FactorDecision/unknownFactor`` if the account has no unconfirmed factor with this id, or if it has
    ///   expired.
    func confirm(
        _ id: String, expecting expectation: AccountExpectation, step: Int64, recoveryCodes: [[UInt8]],
        at now: NumericDate
    ) async throws(StoreError) -> FactorDecision

    /// Counts a try, before its code is compared.
    ///
    /// Simultaneous tries are counted too: the store permits no more than the limit, in whichever order they come.
    func beginTry(_ attempt: FactorTry, at now: NumericDate) async throws(StoreError) -> FactorTryOutcome

    /// Uses a code, and sets the number of failed tries of the account to zero.
    ///
    /// - Returns: `false` if the code was used before, or a later one of the same factor. Then nothing was changed.
    func use(_ code: FactorUse, of holder: FactorHolder, at now: NumericDate) async throws(StoreError) -> Bool

    /// Makes a code usable again for which nothing was issued.
    ///
    /// Call it only after ``use(_:of:at:)`` returned `true`, and only once.
    func giveBack(_ code: FactorUse, of holder: FactorHolder) async throws(StoreError)

    /// Removes a confirmed factor.
    ///
    /// With the last one, the account also loses its recovery codes.
    ///
    /// - Returns: Whether the account had the factor.
    func removeFactor(_ id: String, of holder: FactorHolder) async throws(StoreError) -> Bool

    /// Removes the factor of an account that is not confirmed, if there is one.
    func removeWaitingFactor(of holder: FactorHolder) async throws(StoreError)

    /// Removes all factors, recovery codes and counted tries of an account.
    func removeFactors(of holder: FactorHolder) async throws(StoreError)

    /// Sets the number of failed tries of an account to zero.
    func unlockFactors(of holder: FactorHolder) async throws(StoreError)
}

/// The outcome of adding a factor.
package enum FactorDecision: Sendable, Equatable {
    case done
    /// The account has no unconfirmed factor with this id. Nothing was changed.
    case unknownFactor
    /// The account has as many confirmed factors as it may have. Nothing was changed.
    case tooMany
    /// Nothing was changed.
    case refused(AccountRefusal)
}

/// The account of second factors.
package struct FactorHolder: Sendable, Hashable {
    package let uid: UID
    /// The tenant of the account, if the directory has accounts of several tenants; otherwise empty.
    package let tenant: String

    package init(uid: UID, tenant: String = "") {
        self.uid = uid
        self.tenant = tenant
    }
}

/// A second factor of an account.
package struct EnrolledFactor: Sendable, Equatable {
    package let id: String
    /// The name that the person gave it.
    package let name: String?
    /// The secret, sealed by the caller.
    package let secret: String
    package let createdAt: NumericDate
    /// The end of a factor that is not confirmed; `nil` for a confirmed one.
    package let expiresAt: NumericDate?
    /// The time step of the last code that was used; 0 before the first one.
    package let lastStep: Int64
    /// The time of the last use; `nil` before the first sign-in.
    package let lastUsedAt: NumericDate?

    package init(
        id: String, name: String?, secret: String, createdAt: NumericDate, expiresAt: NumericDate?,
        lastStep: Int64 = 0, lastUsedAt: NumericDate? = nil
    ) {
        self.id = id
        self.name = name
        self.secret = secret
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastStep = lastStep
        self.lastUsedAt = lastUsedAt
    }
}

/// The second factors of one account.
package struct FactorsOfAccount: Sendable, Equatable {
    /// The confirmed factors and at most one other, in the order of their creation.
    package let factors: [EnrolledFactor]
    /// The number of recovery codes that were not used.
    package let recoveryCodes: Int
    /// The tries since the last success.
    package let tries: CountedTries

    package init(factors: [EnrolledFactor], recoveryCodes: Int, tries: CountedTries = CountedTries()) {
        self.factors = factors
        self.recoveryCodes = recoveryCodes
        self.tries = tries
    }

    /// The maximum number of confirmed factors of an account.
    package static let maximum = 5

    package var confirmed: [EnrolledFactor] { factors.filter { $0.expiresAt == nil } }
}

/// A try to prove a second factor.
package struct FactorTry: Sendable {
    package let holder: FactorHolder
    /// The handle of the sign-in, whose tries are counted as well; `nil` for a caller with a Firebase ID token.
    package let handle: SpentRecord?
    /// Whether the code is a recovery code, which is compared also after ``FactorLock/limit`` wrong codes.
    package let isRecovery: Bool

    package init(holder: FactorHolder, handle: SpentRecord?, isRecovery: Bool) {
        self.holder = holder
        self.handle = handle
        self.isRecovery = isRecovery
    }
}

/// Whether a code may be compared.
package enum FactorTryOutcome: Sendable, Equatable {
    /// The try was counted. The code may be compared with these factors, which are confirmed.
    case allowed([EnrolledFactor])
    /// The factors of the account are locked: until this time, or for `nil` until a recovery code is used or an operator
    /// ends the lock. Nothing was counted.
    case locked(until: NumericDate?)
    /// The handle has had its tries. Nothing was counted.
    case handleEnded
}

/// A code that was compared, and is about to be used.
package enum FactorUse: Sendable, Equatable {
    /// A code of a factor in a time step. `previous` is the step of the factor before.
    case totp(factor: String, step: Int64, previous: Int64)
    /// A recovery code, by the digest that ``EnrolledFactors/confirm(_:of:step:recoveryCodes:at:)`` stored.
    case recoveryCode([UInt8])
}
