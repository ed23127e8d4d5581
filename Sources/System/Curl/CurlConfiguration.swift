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
    /// An answer that brings less than 100 bytes a second for so long is given up.
    ///
    /// Whole seconds.
    package var stallTimeout: Duration = .seconds(10)
    /// Calls under way to one origin; further ones wait in line.
    package var activePerOrigin = 32
    /// Calls that wait for one origin; further ones fail with `TransportError.overloaded`.
    package var waitingPerOrigin = 256
    /// An idle connection is closed when it is this old, so that new addresses and certificates get their turn.
    ///
    /// Whole seconds.
    package var connectionLifetime: Duration = .seconds(300)
    /// A connection that was idle for so long is not used again: the peer may be about to close it.
    ///
    /// Whole seconds.
    package var idleLifetime: Duration = .seconds(60)
    /// Sent as `User-Agent`.
    package var userAgent = "token-exchange"

    package init() {}

    var effectiveCABundle: String { caBundle ?? Self.distributionCABundle }
}
