package import Transport

/// Why there is no document.
package enum DocumentError: Error, Equatable, Sendable {
    /// The peer gave no answer.
    case unreachable(TransportError)
    /// An answer with a status other than 200; a redirect is one of these, and is not followed.
    case status(Int)
    /// The body is not what was expected.
    case malformed
}
