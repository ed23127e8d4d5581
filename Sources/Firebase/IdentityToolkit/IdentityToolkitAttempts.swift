internal import JOSE
internal import Jansson
internal import Standards
internal import Transport

/// The state of one call: the number of its attempts, the time that is left, and whether one may have had an effect.
struct IdentityToolkitAttempts {
    private let retries: IdentityToolkitRetryPolicy
    private let start: NumericDate
    private let deadline: NumericDate?
    private var count = 1
    private var paused = Duration.zero
    private var mayHaveHappened = false

    /// Makes the state before the first attempt.
    ///
    /// - Parameters:
    ///   - start: The start of the call.
    ///   - deadline: The deadline of the operation that the call is part of; `nil` for none.
    init(_ retries: IdentityToolkitRetryPolicy, since start: NumericDate, until deadline: NumericDate?) {
        self.retries = retries
        self.start = start
        self.deadline = deadline
    }

    /// Whether the deadline of the operation has not passed.
    func haveTime(at now: NumericDate) -> Bool { deadline.map { now < $0 } ?? true }

    /// Returns the timeout of an attempt: the time that is left, at least 1 second.
    ///
    /// If the call can be repeated, the timeout is at most half of the budget, so that time for another attempt is left.
    func timeout(of effect: IdentityToolkitEndpoint.Effect, at now: NumericDate) -> Duration {
        let left = max(.seconds(1), left(at: now))
        return effect == .once ? left : min(left, retries.budget / 2)
    }

    /// Records that Google has responded with success.
    func succeed() { _ = retries.throttle.record(isFailure: false) }

    /// Records a failure, and returns the pause before the next attempt; `nil` if no further attempt shall be made.
    mutating func pause(
        after failure: FailedAttempt, _ effect: IdentityToolkitEndpoint.Effect, at now: NumericDate
    ) -> Duration? {
        mayHaveHappened = mayHaveHappened || !failure.error.nothingWasWritten
        let mayRepeat = retries.throttle.record(isFailure: failure.isTemporary)
        guard failure.isTemporary, mayRepeat, effect != .once || failure.wasNotSent, count < retries.attempts else {
            return nil
        }
        let pause = max(retries.firstPause * (1 << (count - 1)), failure.retryAfter ?? .zero)
        guard pause < left(at: now) else { return nil }
        count += 1
        paused += pause
        return pause
    }

    /// Returns the error of the call after its last attempt.
    ///
    /// If an earlier attempt may have changed something, the outcome is unknown even if the last attempt changed
    /// nothing.
    func error(after last: IdentityToolkitError) -> IdentityToolkitError {
        guard mayHaveHappened else { return last }
        switch last {
        case .unreachable, .busy, .unavailable: return .outcomeUnknown
        default: return last
        }
    }

    /// Returns the time that is left.
    ///
    /// The clock shows whole seconds. Therefore the pauses are added up too, and the longer of the two times counts.
    private func left(at now: NumericDate) -> Duration {
        let own = retries.budget - max(.seconds(now.seconds - start.seconds), paused)
        guard let deadline else { return own }
        return min(own, .seconds(deadline.seconds - now.seconds))
    }
}

/// The outcome of one attempt.
enum Attempt {
    case success(JSON)
    case failure(FailedAttempt)

    /// Sends a request once.
    static func send(
        _ request: OutboundRequest, over transport: HTTPTransport, _ effect: IdentityToolkitEndpoint.Effect,
        hiding apiKey: Secret?
    ) async -> Self {
        let response: OutboundResponse
        do {
            response = try await transport.send(request)
        } catch {
            return .failure(FailedAttempt(error, effect))
        }
        guard response.status == 200 else { return .failure(FailedAttempt(response, effect, hiding: apiKey)) }
        guard let body = try? JSON.parse(response.body, maximumBytes: request.maximumBodyBytes), body.object != nil
        else { return .failure(FailedAttempt(error: .malformedAnswer, isTemporary: false)) }
        return .success(body)
    }
}

struct FailedAttempt {
    let error: IdentityToolkitError
    /// Whether a repeated attempt may succeed.
    let isTemporary: Bool
    /// Whether no byte of the request was sent.
    var wasNotSent = false
    var retryAfter: Duration?

    fileprivate init(error: IdentityToolkitError, isTemporary: Bool) {
        self.error = error
        self.isTemporary = isTemporary
    }

    fileprivate init(_ error: TransportError, _ effect: IdentityToolkitEndpoint.Effect) {
        wasNotSent = !error.requestMayHaveArrived
        self.error = wasNotSent || effect == .reading ? .unreachable(error) : .outcomeUnknown
        switch error {
        case .unreachable, .timedOut, .interrupted: isTemporary = true
        case .proxyFailed(_, _, let status, _): isTemporary = status.map(RetryPolicy.isTemporary(status:)) ?? true
        case .untrusted, .tooLarge, .notHTTP, .refusedURL, .overloaded, .circuitOpen, .cancelled: isTemporary = false
        }
    }

    fileprivate init(
        _ response: OutboundResponse, _ effect: IdentityToolkitEndpoint.Effect, hiding apiKey: Secret?
    ) {
        let error = IdentityToolkitError(response, hiding: apiKey)
        switch error {
        case .busy:
            (self.error, isTemporary) = (error, true)
        case .unavailable:
            (self.error, isTemporary) = (effect == .reading ? error : .outcomeUnknown, true)
        default:
            (self.error, isTemporary) = (error, false)
        }
        // Retry-After contains seconds or a date (RFC 9110 §10.2.3). Google sends seconds, and a date is ignored.
        retryAfter = response[field: "Retry-After"].flatMap { Int64($0) }.map { .seconds(min(max(0, $0), 3600)) }
    }
}

/// A policy for the attempts, pauses and time limits of calls to Identity Toolkit.
package struct IdentityToolkitRetryPolicy: Sendable {
    /// The time of one call, with all attempts and the pauses between them.
    let budget = Duration.seconds(8)
    /// The maximum number of attempts of one call.
    let attempts: Int
    /// The time of an operation of the directory, with all its calls.
    let operationBudget = Duration.seconds(12)
    /// The pause after the first attempt.
    ///
    /// Each further pause is twice as long.
    let firstPause = Duration.milliseconds(250)
    /// Waits, or returns early if the task is cancelled.
    let pause: @Sendable (Duration) async -> Void
    /// The budget of repetitions that all policies for calls to Google share.
    let throttle: RetryThrottle

    package init(
        _ throttle: RetryThrottle, attempts: Int = 4,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.throttle = throttle
        self.attempts = attempts
        self.pause = pause
    }
}
