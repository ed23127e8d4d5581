/// Why ``RSASigningPool`` gave no signature.
package enum SigningError: Error, Equatable, Sendable {
    /// As many calls wait as may wait. Nothing was done for this one; it may be made again later.
    case overloaded
    /// The calling task was cancelled before its turn came.
    case cancelled
    case failed(OpenSSLError)
}
