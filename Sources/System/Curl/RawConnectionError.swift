/// Why a ``RawConnection`` carried nothing.
package enum RawConnectionError: Error, Equatable, Sendable {
    /// The C library or the URL cannot be used.
    case unusable(String)
    /// Nobody listens there, the name is unknown, or TLS failed; in libcurl's words.
    case notConnected(String)
    /// The peer closed or reset the connection.
    case closed
    case timedOut
}
