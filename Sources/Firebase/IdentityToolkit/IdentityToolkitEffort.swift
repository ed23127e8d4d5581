internal import JOSE

/// The attempts at one question.
struct IdentityToolkitEffort {
    private let patience: IdentityToolkitPatience
    private let start: NumericDate
    private let deadline: NumericDate?
    private var attempts = 1
    private var paused = Duration.zero
    private var mayHaveHappened = false

    /// - `deadline`: when the call must end that this question is a part of; nil for none.
    init(_ patience: IdentityToolkitPatience, since start: NumericDate, until deadline: NumericDate? = nil) {
        self.patience = patience
        self.start = start
        self.deadline = deadline
    }

    /// Whether the call that the question is a part of is not over yet.
    func hasTime(at now: NumericDate) -> Bool { deadline.map { now < $0 } ?? true }

    /// What is left, and for a question that can be asked again half of the whole at most.
    func timeout(of effect: IdentityToolkitEndpoint.Effect, at now: NumericDate) -> Duration {
        let left = max(.seconds(1), left(at: now))
        return effect == .once ? left : min(left, patience.budget / 2)
    }

    /// How long to wait before the next attempt; nil where there is none.
    mutating func pause(
        after failure: IdentityToolkitFailure, _ effect: IdentityToolkitEndpoint.Effect, at now: NumericDate
    ) -> Duration? {
        mayHaveHappened = mayHaveHappened || !failure.error.nothingWasWritten
        guard failure.isPassing, effect != .once || failure.wasNotHeard, attempts < patience.attempts else {
            return nil
        }
        let pause = max(patience.firstPause * (1 << (attempts - 1)), failure.retryAfter ?? .zero)
        guard pause < left(at: now) else { return nil }
        attempts += 1
        paused += pause
        return pause
    }

    /// The error of the last attempt, unless an earlier one may have been heard.
    func verdict(on last: IdentityToolkitError) -> IdentityToolkitError {
        guard mayHaveHappened else { return last }
        switch last {
        case .unreachable, .busy, .unavailable: return .outcomeUnknown
        default: return last
        }
    }

    /// The clock shows whole seconds, so the pauses are counted as well.
    private func left(at now: NumericDate) -> Duration {
        let own = patience.budget - max(.seconds(now.seconds - start.seconds), paused)
        guard let deadline else { return own }
        return min(own, .seconds(deadline.seconds - now.seconds))
    }
}
