/// What one connection, one request and one address may take of us.
package struct ServerLimits: Sendable, Equatable {
    package var bodyBytes = 64 * 1024
    package var targetBytes = 8 * 1024
    package var headerBytes = 16 * 1024
    package var headerFields = 100
    /// Connections to one listener at once; further ones wait in the backlog of the system.
    package var connections = Self.usualConnections
    /// Requests being answered at once; those beyond are told to come back.
    package var inFlight = 4096
    /// From the first byte of a connection, or the end of an answer, to the whole header of the next request.
    package var headerDeadline = Duration.seconds(30)
    /// From the header to the last byte of the body.
    package var bodyDeadline = Duration.seconds(15)
    /// From the last byte of a request to the last of its answer, the client's reading included.
    package var answerDeadline = Duration.seconds(60)
    /// Requests per address to endpoints that end a sign-in or concern an account.
    ///
    /// `nil` disables the limit. As many refusals of one address are audited.
    package var exchangesPerAddress: RateLimit? = RateLimit(count: 60, period: .seconds(60))
    /// Requests per address to endpoints that begin a sign-in.
    package var startsPerAddress: RateLimit? = RateLimit(count: 60, period: .seconds(60))
    /// Requests per address to the device page, to callbacks and for metadata.
    package var pagesPerAddress: RateLimit? = RateLimit(count: 120, period: .seconds(60))
    /// Anonymous accounts that one address makes.
    package var anonymousPerAddress: RateLimit? = RateLimit(count: 10, period: .seconds(60))
    /// Wrong user codes by one address: so many at once, and as many again over the ten minutes that a code lives.
    package var deviceCodeTries = 5
    /// Wrong user codes by everybody, counted alike.
    ///
    /// There are 20^8 codes: two thousand guesses find one of a thousand waiting devices once in 12 800 times. An
    /// attacker with enough addresses can use them up, and then no code can be entered.
    package var deviceCodeTriesOfAll = 1000

    package init() {}

    /// More than a process with usual limits can serve, and few enough to keep its memory bounded.
    private static let usualConnections = 16384

    /// How many connections the public listener may have in a process that may open `descriptors` files.
    ///
    /// Each request may need a connection to a provider as well, so that half of what is left is for connections. The
    /// rest is kept for the store, libcurl's idle connections, the log, the admin listener and three descriptors of
    /// each event loop.
    package static func connections(descriptors: Int, eventLoops: Int) -> Int {
        min(usualConnections, max(16, (descriptors - 192 - 4 * eventLoops) / 2))
    }
}
