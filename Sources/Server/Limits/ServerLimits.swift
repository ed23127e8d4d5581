/// The limits per connection, per request and per client address.
package struct ServerLimits: Sendable, Equatable {
    package var bodyBytes = 64 * 1024
    package var targetBytes = 8 * 1024
    package var headerBytes = 16 * 1024
    package var headerFields = 100
    /// Concurrent connections per listener.
    ///
    /// For a further one, the connection that has waited longest for its client gives way; if none waits, the further one
    /// waits in the backlog of the socket.
    package var connections = Self.usualConnections
    /// Concurrent streams of HTTP/2 of all connections, with the same rule; if none waits for its client, a further one is
    /// refused.
    package var streams = Self.usualConnections
    /// Concurrent streams of one connection with HTTP/2.
    package var streamsOfConnection = 32
    /// Concurrent requests; further ones get a 503 with `Retry-After`.
    package var inFlight = 4096
    /// Time from the start of a connection to the end of its header of the PROXY protocol, and from there to the end of
    /// its TLS handshake.
    package var handshakeDeadline = Duration.seconds(10)
    /// Time from the start of a connection, or the end of a response, to the complete header of the next request.
    package var headerDeadline = Duration.seconds(30)
    /// Time from the end of a response to a trusted proxy to the complete header of its next request.
    ///
    /// Google's load balancers keep a connection for 600 seconds. A proxy that sends a request while the connection closes
    /// responds with 502.
    package var proxyIdleDeadline = Duration.seconds(620)
    /// Time from the header to the last byte of the body.
    package var bodyDeadline = Duration.seconds(15)
    /// Time from the last byte of a request to the last byte of its response, including the time that the client needs
    /// to read it.
    package var responseDeadline = Duration.seconds(60)
    /// Time in which a client of HTTP/2 must take a part of a response if all streams of its connection wait for that.
    package var unreadDeadline = Duration.seconds(10)
    /// Requests per address to endpoints that finish a sign-in or manage an account.
    ///
    /// `nil` disables the limit. The same limit applies to the audited refusals of an address, and to its refused messages
    /// about events.
    package var exchangesPerAddress: RateLimit? = RateLimit(count: 60, period: .seconds(60))
    /// Requests per address to endpoints that begin a sign-in; `nil` disables the limit.
    package var startsPerAddress: RateLimit? = RateLimit(count: 60, period: .seconds(60))
    /// Requests per address to the device page, to callbacks and for metadata, preflights, prefetches, and requests that no
    /// endpoint accepts; `nil` disables the limit.
    package var pagesPerAddress: RateLimit? = RateLimit(count: 120, period: .seconds(60))
    /// New anonymous accounts per address; `nil` disables the limit.
    package var anonymousPerAddress: RateLimit? = RateLimit(count: 10, period: .seconds(60))
    /// Wrong user codes per address: a burst of this size, refilled over ten minutes, the lifetime of a code.
    package var deviceCodeTries = 5
    /// Wrong user codes of all addresses together, with the same burst and refill.
    ///
    /// There are 20^8 codes: with 1000 waiting devices, 2000 guesses succeed with a probability of 1 in 12 800. An
    /// attacker with enough addresses can use up this limit; then no user can enter a code.
    package var deviceCodeTriesOfAll = 1000

    package init() {}

    /// The default: more connections than a process with usual limits can serve, but few enough to bound its memory.
    private static let usualConnections = 16384

    /// What a connection costs at most, with TLS and a body of 64 KiB.
    ///
    /// `scripts/soak --costs` measures it.
    package static let connectionBytes = 256 * 1024
    /// What a stream of HTTP/2 costs at most, with a body of 64 KiB.
    package static let streamBytes = 192 * 1024
    /// What the process needs without connections.
    package static let processBytes = 128 * 1024 * 1024

    /// Limits connections and streams to what the process has descriptors and memory for.
    ///
    /// Each request may need a connection to a provider as well, so that clients get half of the available descriptors.
    /// The reserve of 192, plus 4 per event loop, is for the store, the idle connections of libcurl, the log, the admin
    /// listener and the event loops. Of the memory, connections and streams get half each.
    ///
    /// - Parameters:
    ///   - descriptors: The limit of open file descriptors of the process.
    ///   - memory: The number of octets that the process may have; `nil` if it is unknown.
    package mutating func fit(descriptors: Int, eventLoops: Int, memory: Int?) {
        let half = memory.map { max(0, $0 - Self.processBytes) / 2 } ?? .max
        connections = Self.bounded(
            min((descriptors - 192 - 4 * eventLoops) / 2, half / Self.connectionBytes))
        streams = Self.bounded(half / Self.streamBytes)
    }

    /// 16 to 16384.
    private static func bounded(_ count: Int) -> Int { min(usualConnections, max(16, count)) }

    /// The limits of the admin listener: enough connections for probes and the monitoring system, which send their requests
    /// at once.
    package func ofAdminListener() -> Self {
        var limits = self
        limits.connections = 64
        (limits.headerDeadline, limits.proxyIdleDeadline) = (.seconds(2), .seconds(2))
        limits.bodyDeadline = .seconds(2)
        limits.responseDeadline = .seconds(10)
        return limits
    }
}
