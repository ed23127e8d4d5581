internal import Synchronization

/// The last call to a provider within the work of a task, for the line of the log that tells why that work failed.
package final class LastCall: Sendable {
    @TaskLocal package static var current: LastCall?

    private let call = Mutex<(request: OutboundRequest, response: OutboundResponse?, clock: String?)?>(nil)

    package init() {}

    /// The call in words, such as `POST https://op.example/token: status 400`; `nil` if there was none.
    package var text: String? {
        call.withLock { $0 }.map { request, response, clock in
            var outcome = response.map { "status \($0.status)" } ?? "no answer"
            if let response, response.status >= 400 {
                outcome += (response.body.isEmpty ? ", without content" : "") + (clock.map { ", and \($0)" } ?? "")
            }
            return "\(request.method.rawValue) \(request.address): \(outcome)"
        }
    }

    /// How the clock of this machine differs from the time of the last answer, in words; `nil` for at most half a minute.
    package var clock: String? { call.withLock { $0?.clock } }

    /// The call, if its status is that of an error; `nil` for any other outcome, whose answer may describe a person.
    package var refused: (request: OutboundRequest, response: OutboundResponse)? {
        call.withLock { call in
            guard let call, let response = call.response, response.status >= 400 else { return nil }
            return (call.request, response)
        }
    }

    /// Notes the call that another task has made for this one.
    package func adopt(_ other: LastCall) {
        let other = other.call.withLock { $0 }
        call.withLock { $0 = other }
    }

    fileprivate func note(_ request: OutboundRequest, _ response: OutboundResponse?, clock: String? = nil) {
        call.withLock { $0 = (request, response, clock) }
    }
}

extension OutboundResponse {
    /// How the clock of this machine differs from the time of the answer, in words; `nil` for at most half a minute.
    fileprivate func clock(at time: Int64) -> String? {
        // The time of a cached answer is that of its origin.
        guard self[field: "Age"] == nil, let offset = date.map({ time - $0 }), abs(offset) > 30 else { return nil }
        let direction = offset > 0 ? "ahead of" : "behind"
        return "the clock of this machine is \(abs(offset)) s \(direction) the field Date of the provider's last answer"
    }
}

extension HTTPTransport {
    /// Returns a transport that notes each call in ``LastCall/current``.
    ///
    /// - Parameter now: The clock of this machine, in seconds since 1970.
    package func notingLastCall(at now: @escaping @Sendable () -> Int64) -> HTTPTransport {
        HTTPTransport { request throws(TransportError) in
            LastCall.current?.note(request, nil)
            let response = try await send(request)
            LastCall.current?.note(request, response, clock: response.clock(at: now()))
            return response
        }
    }
}
