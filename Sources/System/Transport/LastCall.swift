internal import Synchronization

/// The last call to a provider within the work of a task, for the line of the log that tells why that work failed.
package final class LastCall: Sendable {
    @TaskLocal package static var current: LastCall?

    private let call = Mutex<(request: OutboundRequest, response: OutboundResponse?)?>(nil)

    package init() {}

    /// The call in words, such as `POST https://op.example/token: status 400`; `nil` if there was none.
    package var text: String? {
        call.withLock { $0 }.map { request, response in
            let outcome = response.map { "status \($0.status)" } ?? "no answer"
            return "\(request.method.rawValue) \(request.address): \(outcome)"
        }
    }

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

    fileprivate func note(_ request: OutboundRequest, _ response: OutboundResponse?) {
        call.withLock { $0 = (request, response) }
    }
}

extension HTTPTransport {
    /// Returns a transport that notes each call in ``LastCall/current``.
    package func notingLastCall() -> HTTPTransport {
        HTTPTransport { request throws(TransportError) in
            LastCall.current?.note(request, nil)
            let response = try await send(request)
            LastCall.current?.note(request, response)
            return response
        }
    }
}
