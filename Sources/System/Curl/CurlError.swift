/// Why there can be no calls at all.
///
/// What happens to one call is a `TransportError`.
package enum CurlError: Error, Equatable, Sendable {
    /// The C library could not be initialized, or lacks memory for a handle.
    case initializationFailed
    /// The library in use lacks something that our promises rest on.
    case unsuitableLibrary(version: String, missing: String)
    /// This build of the library does not know an option that we rely on, by its number in `curl.h`.
    case unsupportedOption(UInt32)
    /// The file with the certificates to trust is not there, or not for us to read.
    case unreadableCABundle(path: String)

    /// A stable word for logs and metrics.
    package var code: String {
        switch self {
        case .initializationFailed: "curl.initialization_failed"
        case .unsuitableLibrary: "curl.unsuitable_library"
        case .unsupportedOption: "curl.unsupported_option"
        case .unreadableCABundle: "curl.unreadable_ca_bundle"
        }
    }
}
