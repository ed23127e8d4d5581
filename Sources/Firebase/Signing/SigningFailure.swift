/// Why there is no signature.
package enum SigningFailure: Error, Equatable, Sendable {
    case overloaded
    case failed
}
