internal import Foundation

/// What a browser session of the system waits for.
enum SessionRedirect: Sendable, Equatable {
    /// A redirect to a private-use scheme (RFC 8252 §7.1).
    case scheme(String)
    /// A redirect to a universal link (RFC 8252 §7.2), whose host is one of the application's associated domains.
    case https(host: String, path: String)

    /// Reads a redirect URI.
    ///
    /// - Throws: ``TokenExchangeError`` if no session of the system can receive its redirect.
    init(_ redirectURI: String) throws(TokenExchangeError) {
        let parts = URLComponents(string: redirectURI)
        guard let parts, let scheme = parts.scheme?.lowercased(), scheme != "http" else {
            throw .redirectURI("\(redirectURI) is no redirect URI with a private-use scheme or https.")
        }
        guard scheme == "https" else {
            self = .scheme(scheme)
            return
        }
        // The session compares host and path only.
        guard let host = parts.host, !host.isEmpty, parts.port == nil, parts.query == nil, parts.fragment == nil else {
            throw .redirectURI(
                "\(redirectURI) is no universal link, which has a host and a path, and no port or query.")
        }
        self = .https(host: host, path: parts.path.isEmpty ? "/" : parts.path)
    }

    /// The scheme, for systems whose sessions know only private-use schemes.
    var privateUseScheme: String {
        get throws(TokenExchangeError) {
            guard case .scheme(let scheme) = self else {
                throw .redirectURI(
                    "This system receives redirects only to a private-use scheme, such as com.example.app:/oauth. "
                        + "Universal links need iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4 or visionOS 1.1.")
            }
            return scheme
        }
    }
}

extension TokenExchangeError {
    fileprivate static func redirectURI(_ message: String) -> Self {
        Self(.browserFailed, code: "auth/argument-error", message)
    }
}
