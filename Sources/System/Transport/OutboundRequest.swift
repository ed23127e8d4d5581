/// One call to a peer: a provider, or Google.
///
/// It is never redirected and never compressed. A POST is sent once at most; a GET goes out a second time if a
/// connection that was used before dies without an answer. The description names only method and origin, since URL,
/// header fields and body may hold our secrets.
package struct OutboundRequest: Sendable, Equatable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    /// Absolute.
    ///
    /// `https`, `http` to a loopback address, or `http` to Google's metadata server; anything else is refused before a
    /// socket is opened.
    package var url: String
    /// Each one line of ASCII, and none that says where a message ends, whom it is for or how it is packed: these are
    /// the transport's.
    package var header: [HeaderField]
    /// Sent only with a POST.
    package var body: [UInt8]
    /// From the moment of sending to the last byte of the answer, waiting in line included.
    package var timeout: Duration
    /// An answer with a longer body is no answer.
    package var maximumBodyBytes: Int
    /// Where the call waits for its turn; nil for the one that all other calls to the origin share.
    package var queue: CallQueue?

    package init(
        _ method: Method, _ url: String, header: [HeaderField] = [], body: [UInt8] = [],
        timeout: Duration = .seconds(10), maximumBodyBytes: Int = 256 * 1024
    ) {
        self.method = method
        self.url = url
        self.header = header
        self.body = body
        self.timeout = timeout
        self.maximumBodyBytes = maximumBodyBytes
    }

    /// The same request in another queue.
    package func queued(in queue: CallQueue) -> OutboundRequest {
        var request = self
        request.queue = queue
        return request
    }
}

extension OutboundRequest: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count > 2, parts[1].isEmpty else { return method.rawValue }
        let authority = parts[2].prefix { $0 != "?" && $0 != "#" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return "\(method.rawValue) \(parts[0])//\(host)"
    }

    package var debugDescription: String { description }
}

/// One field line of an HTTP message.
package struct HeaderField: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Calls to one origin that take turns: so many of them are under way at once.
///
/// Two queues to one origin do not wait for each other.
package struct CallQueue: Sendable, Hashable {
    package let name: String
    package let limit: Int

    package init(_ name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }
}
