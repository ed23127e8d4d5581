package import JOSE

/// How wrong codes in a row lock the second factors of an account.
///
/// A code of an authenticator application has six digits, so that the number of guesses is limited. A recovery code has
/// 80 random bits.
package enum FactorLock {
    /// The number of wrong codes after which a handle ends, and after which each lock of an account begins.
    package static let tries = 5
    /// The number of wrong codes after which only a recovery code is compared.
    package static let limit = 100
    private static let first = Duration.seconds(900)
    private static let longest = Duration.seconds(86400)

    /// Returns the lock that begins with a wrong code: 15 minutes, then twice as long each time, at most a day.
    ///
    /// After ``limit`` wrong codes the locks concern recovery codes only, and are short: a long one would keep the person
    /// out whom they help.
    ///
    /// - Parameter failures: The number of wrong codes in a row.
    /// - Returns: The time; `nil` if no lock begins.
    package static func time(after failures: Int) -> Duration? {
        guard failures > 0, failures % tries == 0, failures != limit else { return nil }
        guard failures < limit else { return first }
        return (1..<failures / tries).reduce(first) { time, _ in min(time * 2, longest) }
    }
}

/// The tries of an account since the last success.
package struct CountedTries: Sendable, Equatable {
    package let count: Int
    /// The end of the last lock; `nil` if there was none.
    package let lockedUntil: NumericDate?

    package init(count: Int = 0, lockedUntil: NumericDate? = nil) {
        self.count = count
        self.lockedUntil = lockedUntil
    }

    /// Whether only a recovery code is compared.
    package var needsRecoveryCode: Bool { count >= FactorLock.limit }

    /// The outcome of a try that was not counted.
    package func refusal(of attempt: FactorTry) -> FactorTryOutcome {
        .locked(until: needsRecoveryCode && !attempt.isRecovery ? nil : lockedUntil)
    }
}

/// The columns of counted tries, shared by both stores.
extension CountedTries {
    /// The query of an account, whose parameters are the uid and the tenant.
    package static func query(_ parameter: (Int) -> String) -> String {
        "SELECT failures, locked_until FROM factor_tries WHERE uid = \(parameter(1)) AND tenant = \(parameter(2))"
    }

    /// Reads a row of ``query(_:)``; `nil` stands for an account without tries.
    ///
    /// - Throws: ``StoreError/corrupt``.
    package init(row: (some AccountRow)?) throws(StoreError) {
        guard let row else {
            self.init()
            return
        }
        guard let count = row.integer(0), let end = row.integer(1) else { throw .corrupt }
        self.init(count: Int(count), lockedUntil: end > 0 ? NumericDate(end) : nil)
    }
}

/// The statement that counts a try, shared by both stores.
extension FactorTry {
    /// Returns the statement, which returns a row if it counted the try.
    ///
    /// The parameters are the uid, the tenant, and the time.
    ///
    /// - Parameter parameter: Writes the parameter with a number from 1 on.
    /// - Returns: The statement.
    package func counting(_ parameter: (Int) -> String) -> String {
        let (uid, tenant, now) = (parameter(1), parameter(2), "CAST(\(parameter(3)) AS bigint)")
        let locks = (1...FactorLock.limit).compactMap { count in
            FactorLock.time(after: count).map { "WHEN \(count) THEN \(now) + \($0.components.seconds)" }
        }
        let later = FactorLock.time(after: FactorLock.limit + FactorLock.tries)?.components.seconds ?? 0
        let limit = isRecovery ? "" : "AND factor_tries.failures < \(FactorLock.limit)"
        return """
            INSERT INTO factor_tries (uid, tenant, failures, locked_until) VALUES (\(uid), \(tenant), 1, 0)
            ON CONFLICT (uid, tenant) DO UPDATE SET
                failures = factor_tries.failures + 1,
                locked_until = CASE factor_tries.failures + 1 \(locks.joined(separator: " ")) ELSE
                    CASE WHEN factor_tries.failures >= \(FactorLock.limit)
                        AND (factor_tries.failures + 1) % \(FactorLock.tries) = 0 THEN \(now) + \(later) ELSE 0 END END
            WHERE factor_tries.locked_until <= \(now) \(limit)
            RETURNING failures
            """
    }
}
