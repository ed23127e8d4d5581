/// How calls leave this process.
///
/// Nothing of it is read from the environment.
package struct CurlConfiguration: Sendable, Equatable {
    /// Where Debian and its descendants keep the certificates of public authorities.
    package static let distributionCABundle = "/etc/ssl/certs/ca-certificates.crt"

    /// A PEM file of the only authorities that are trusted; nil for the distribution's.
    package var caBundle: String?
    /// The share of a call's time that name lookup, TCP and TLS may take together.
    package var connectTimeout: Duration = .seconds(2)
    /// In whole seconds: an answer that brings less than 100 bytes a second for so long is given up.
    package var stallTimeout: Duration = .seconds(10)
    /// Calls under way to one origin that name no queue; further ones wait in line.
    package var activePerOrigin = 256
    /// Calls that wait in one line; further ones fail with `TransportError.overloaded`.
    ///
    /// What keeps a line short is the time that its calls have left; this number bounds the memory.
    package var waitingPerQueue = 16_384
    /// In whole seconds: a connection so old is not used again, so that new addresses and certificates get their turn.
    package var connectionLifetime: Duration = .seconds(300)
    /// In whole seconds: a connection idle for so long is not used again, since the peer may be about to close it.
    package var idleLifetime: Duration = .seconds(60)
    /// Sent as `User-Agent`.
    package var userAgent = "token-exchange"

    package init() {}

    var effectiveCABundle: String { caBundle ?? Self.distributionCABundle }
}
