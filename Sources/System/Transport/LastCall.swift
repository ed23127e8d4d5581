internal import Synchronization

/// The last call to a provider within the work of a task, for the line of the log that tells why that work failed.
package final class LastCall: Sendable {
    @TaskLocal package static var current: LastCall?

    private let call = Mutex<(request: OutboundRequest, status: Int?)?>(nil)

    package init() {}

    /// The call in words, such as `POST https://op.example/token: status 400`; `nil` if there was none.
    package var text: String? {
        call.withLock { $0 }.map { request, status in
            "\(request.method.rawValue) \(request.address): \(status.map { "status \($0)" } ?? "no answer")"
        }
    }

    /// Notes the call that another task has made for this one.
    package func adopt(_ other: LastCall) {
        let other = other.call.withLock { $0 }
        call.withLock { $0 = other }
    }

    fileprivate func note(_ request: OutboundRequest, status: Int?) { call.withLock { $0 = (request, status) } }
}

extension HTTPTransport {
    /// Returns a transport that notes each call in ``LastCall/current``.
    package func notingLastCall() -> HTTPTransport {
        HTTPTransport { request throws(TransportError) in
            LastCall.current?.note(request, status: nil)
            let response = try await send(request)
            LastCall.current?.note(request, status: response.status)
            return response
        }
    }
}
