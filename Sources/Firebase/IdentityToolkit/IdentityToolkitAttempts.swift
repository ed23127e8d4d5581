internal import JOSE
internal import Jansson
internal import Transport

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

/// One attempt that failed.
struct IdentityToolkitFailure: Error {
    let error: IdentityToolkitError
    /// It may be better in a moment.
    let isPassing: Bool
    /// No byte of the request left.
    var wasNotHeard = false
    var retryAfter: Duration?

    static func answer(
        to request: OutboundRequest, from transport: HTTPTransport, _ effect: IdentityToolkitEndpoint.Effect
    ) async throws(Self) -> JSON {
        let response: OutboundResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw Self(error, effect)
        }
        guard response.status == 200 else { throw Self(response, effect) }
        guard let answer = try? JSON.parse(response.body, maximumBytes: request.maximumBodyBytes), answer.object != nil
        else { throw Self(error: .malformedAnswer, isPassing: false) }
        return answer
    }

    private init(error: IdentityToolkitError, isPassing: Bool) {
        self.error = error
        self.isPassing = isPassing
    }

    private init(_ error: TransportError, _ effect: IdentityToolkitEndpoint.Effect) {
        wasNotHeard = !error.requestMayHaveArrived
        self.error = wasNotHeard || effect == .reading ? .unreachable(error) : .outcomeUnknown
        switch error {
        case .unreachable, .timedOut, .interrupted: isPassing = true
        case .untrusted, .tooLarge, .notHTTP, .refusedURL, .overloaded, .cancelled: isPassing = false
        }
    }

    private init(_ response: OutboundResponse, _ effect: IdentityToolkitEndpoint.Effect) {
        let error = IdentityToolkitError(response)
        switch error {
        case .busy:
            (self.error, isPassing) = (error, true)
        case .unavailable:
            (self.error, isPassing) = (effect == .reading ? error : .outcomeUnknown, true)
        default:
            (self.error, isPassing) = (error, false)
        }
        // RFC 9110 §10.2.3: seconds, or a date, which nobody sends here.
        retryAfter = response[field: "Retry-After"].flatMap { Int64($0) }.map { .seconds(min(max(0, $0), 3600)) }
    }
}

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
