public import Foundation

/// A sign-in by the user on another device (RFC 8628), as a sequence of states.
///
/// The sequence begins with ``State/code(_:)``, continues with ``State/waiting(_:)`` after the first poll, and ends after
/// ``State/signedIn(_:)``. It throws ``TokenExchangeError``: ``TokenExchangeError/Reason/accessDenied`` if the user
/// refuses, ``TokenExchangeError/Reason/expiredToken`` if the user is too slow. Each iteration starts a new sign-in.
public struct DeviceSignIn: AsyncSequence, Sendable {
    /// The state of a sign-in on another device.
    public enum State: Sendable {
        /// The user has to open the URL and enter the code.
        case code(DeviceCode)
        /// The first poll has found that the user has not finished. Further polls have no state of their own.
        case waiting(DeviceCode)
        /// The user has finished.
        case signedIn(SignInResult)
    }

    /// The element of the sequence.
    public typealias Element = State

    let clientID: String
    let provider: Provider?
    let scopes: [String]
    let api: ServerAPI

    /// Starts a sign-in at its first element.
    public func makeAsyncIterator() -> Iterator { Iterator(signIn: self) }

    /// One sign-in.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case start
            case polling(Poll, isAnnounced: Bool)
            case end
        }

        private let signIn: DeviceSignIn
        private var phase = Phase.start

        fileprivate init(signIn: DeviceSignIn) {
            self.signIn = signIn
        }

        /// Waits for the next state.
        ///
        /// - Returns: The state; `nil` after the end.
        /// - Throws: ``TokenExchangeError``, and then ends.
        public mutating func next() async throws(TokenExchangeError) -> State? {
            switch phase {
            case .end: return nil
            case .start:
                phase = .end
                let poll = try await Poll(signIn)
                phase = .polling(poll, isAnnounced: false)
                return .code(poll.code)
            case .polling(var poll, let isAnnounced):
                phase = .end
                while true {
                    if let result = try await poll.next() { return .signedIn(result) }
                    guard isAnnounced else {
                        phase = .polling(poll, isAnnounced: true)
                        return .waiting(poll.code)
                    }
                }
            }
        }
    }
}

/// A code that the user enters on another device.
public struct DeviceCode: Sendable, Equatable {
    /// The code, such as `WDJB-MJHT`.
    public let userCode: String
    /// The URL to open on another device.
    public let verificationURL: URL
    /// The URL that contains the code, for a QR code.
    public let completeURL: URL
    /// The number of seconds in which the user must finish.
    public let expiresIn: TimeInterval
}

/// The requests of a device that waits for its user (RFC 8628 §3.4).
private struct Poll: Sendable {
    let code: DeviceCode
    private let signIn: DeviceSignIn
    private let deviceCode: String
    /// The pause between two requests, in seconds.
    private var interval: TimeInterval
    /// The number of seconds since the start, without those of the requests.
    private var waited: TimeInterval = 0

    init(_ signIn: DeviceSignIn) async throws(TokenExchangeError) {
        var fields = [("client_id", signIn.clientID)]
        if let provider = signIn.provider { fields.append(("provider", provider.rawValue)) }
        if !signIn.scopes.isEmpty { fields.append(("scope", signIn.scopes.joined(separator: " "))) }
        let answer = try await signIn.api.send(.form("/device_authorization", fields), as: DeviceAnswer.self)
        guard let url = URL(string: answer.verificationUri),
            let completeURL = URL(string: answer.verificationUriComplete ?? answer.verificationUri)
        else { throw .unexpectedResponse("The verification_uri of the response is not a URL.") }
        self.signIn = signIn
        deviceCode = answer.deviceCode
        // RFC 8628 §3.2: 5 is the default.
        interval = min(max(1, answer.interval ?? 5), 600)
        code = DeviceCode(
            userCode: answer.userCode, verificationURL: url, completeURL: completeURL, expiresIn: answer.expiresIn)
    }

    /// Waits for the interval, and asks once.
    ///
    /// - Returns: The result; `nil` if the user has not finished.
    mutating func next() async throws(TokenExchangeError) -> SignInResult? {
        try await signIn.api.pause(interval)
        waited += interval
        do throws(TokenExchangeError) {
            return try await signIn.api.signIn(
                .form(
                    "/token",
                    [
                        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                        ("client_id", signIn.clientID), ("device_code", deviceCode),
                    ]))
        } catch {
            switch error.reason {
            case "authorization_pending": break
            // RFC 8628 §3.5: the interval grows by 5 seconds for this and all later requests.
            case "slow_down": interval += 5
            // RFC 8628 §3.5 suggests exponential backoff. A lost response cannot be fetched again, and the next request
            // says so.
            case .networkFailed where waited < code.expiresIn: interval = min(interval * 2, 60)
            default:
                guard error.retry == .same, waited < code.expiresIn else { throw error }
                interval = max(interval, min(error.retryAfter ?? 0, 60))
            }
            return nil
        }
    }
}
