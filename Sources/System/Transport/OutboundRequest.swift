/// One call to a peer: a provider, or Google.
///
/// It is never redirected. A POST is sent at most once. A GET is sent a second time if a reused
/// connection closes without a response. The description contains only method and origin, since URL, header fields and
/// body may contain secrets.
package struct OutboundRequest: Sendable, Equatable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        /// Without a body; the token of AWS's metadata server is requested so.
        case put = "PUT"
        /// Google's administrative interfaces change a part of a resource so.
        case patch = "PATCH"
    }

    package var method: Method
    /// The absolute URL.
    ///
    /// It must be `https`, or `http` to a loopback address. Any other URL is refused before a socket is opened, except
    /// one that ``reachesMetadataServer`` or ``plainHTTPHosts`` permits.
    package var url: String
    /// The header fields.
    ///
    /// Each is one line of ASCII. Fields for framing, host, encoding and a proxy are refused, since the transport sets them.
    package var header: [HeaderField]
    /// The body, which is sent only with a POST or a PATCH.
    package var body: [UInt8]
    /// The time limit from the call to the last byte of the response, including the wait in the queue.
    package var timeout: Duration
    /// The maximum size of the response body.
    ///
    /// A larger body is an error.
    package var maximumBodyBytes: Int
    /// The queue of the call; `nil` for the queue that all calls to the origin without their own queue share.
    package var queue: CallQueue?
    /// Whether the peer charges the operator for this call, so that metrics count it.
    package var isPaid = false
    /// Whether the URL may also be that of a cloud's metadata server, by `http`.
    ///
    /// These servers issue credentials of this machine. A request whose URL comes from a document of a provider must
    /// not reach them, so that only the source of access tokens sets this.
    package var reachesMetadataServer = false
    /// The hosts, as they stand in a URL and in lower case, that the URL may also name with `http`.
    ///
    /// An operator permits them for one provider. A metadata server of a cloud is never one of them.
    package var plainHTTPHosts: [String] = []

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

extension OutboundRequest {
    /// The URL without user name, password, query and fragment, as an operator may read it.
    ///
    /// The path of an endpoint of a provider is no secret; that of another URL may be one.
    package var address: String { String((origin + path).prefix(300)) }

    private var parts: [Substring] {
        url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    }

    /// Scheme and authority without the user's part; empty if the URL is not absolute.
    private var origin: String {
        guard parts.count > 2, parts[1].isEmpty else { return "" }
        return "\(parts[0])//\(parts[2].split(separator: "@", omittingEmptySubsequences: false).last ?? "")"
    }

    private var path: String { parts.count > 3 ? "/\(parts[3])" : "" }
}

extension OutboundRequest: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { origin.isEmpty ? method.rawValue : "\(method.rawValue) \(origin)" }

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

/// A queue of calls of one kind to one peer, with a limit of concurrent calls.
///
/// Two queues to one origin do not wait for each other. Both names are labels of metrics, so that they must come from the
/// program or its configuration, and never from a request.
package struct CallQueue: Sendable, Hashable {
    /// The name of the peer, such as the id of a provider.
    package let peer: String
    /// The kind of call, such as `token`.
    package let call: String
    /// The maximum number of concurrent calls; `nil` for the maximum of the transport.
    package let limit: Int?

    package init(_ peer: String, _ call: String, limit: Int? = nil) {
        self.peer = peer
        self.call = call
        self.limit = limit
    }
}
