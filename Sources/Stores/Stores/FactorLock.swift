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

    /// Returns the tries after another one, whose code may then be compared.
    ///
    /// - Returns: The tries; `nil` if the account is locked, so that nothing is counted.
    package func counting(_ attempt: FactorTry, at now: NumericDate) -> CountedTries? {
        if let lockedUntil, now < lockedUntil { return nil }
        guard attempt.isRecovery || !needsRecoveryCode else { return nil }
        return CountedTries(count: count + 1, lockedUntil: FactorLock.time(after: count + 1).map { now + $0 })
    }

    /// The outcome of a try that was not counted.
    package func refusal(of attempt: FactorTry) -> FactorTryOutcome {
        .locked(until: needsRecoveryCode && !attempt.isRecovery ? nil : lockedUntil)
    }
}
