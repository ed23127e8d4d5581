/// How long Identity Toolkit is asked before it is given up.
package struct IdentityToolkitPatience: Sendable {
    /// For one question, all attempts and the pauses between them.
    package var budget: Duration
    package var attempts: Int
    /// For a call to the directory, which asks several questions: all of them together.
    package var callBudget: Duration
    /// After the first attempt; each further one is twice as long.
    package var firstPause: Duration
    /// Waits, or ends early where the task is cancelled.
    package var pause: @Sendable (Duration) async -> Void

    package init(
        budget: Duration = .seconds(8), attempts: Int = 4, firstPause: Duration = .milliseconds(250),
        callBudget: Duration = .seconds(12),
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.budget = budget
        self.attempts = attempts
        self.firstPause = firstPause
        self.callBudget = callBudget
        self.pause = pause
    }
}
