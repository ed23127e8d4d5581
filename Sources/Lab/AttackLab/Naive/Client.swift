/// An application that is registered at this backend.
struct Client: Sendable {
    let id: String
    let redirectURIs: [String]
    let providerRedirectURIs: [String]
    let origins: [String]

    static let all = [
        Client(
            id: "my-app",
            redirectURIs: ["com.example.app:/oauth", "http://127.0.0.1/callback", "https://app.example/cb"],
            providerRedirectURIs: ["com.example.app:/yahoo", "com.example.app:/x"], origins: ["https://app.example"]),
        Client(
            id: "other-app", redirectURIs: ["https://other.example/cb"],
            providerRedirectURIs: ["com.example.app:/yahoo", "com.example.app:/x"], origins: []),
        Client(id: "KIOSK", redirectURIs: ["https://kiosk.example/cb"], providerRedirectURIs: [], origins: []),
    ]

    static func named(_ id: String, environment: BackendEnvironment) -> Client? {
        all.first { same($0.id, id) || environment.makes(.lookAlikeNames) && $0.id == id }
    }

    /// Whether the URI is registered.
    ///
    /// Bytes are compared (RFC 9700 section 2.1), except for the port of a loopback address (RFC 8252 section 7.3).
    func mayReturn(to uri: String, environment: BackendEnvironment) -> Bool {
        if environment.makes(.redirectUnchecked) { return true }
        return redirectURIs.contains { registered in
            if environment.makes(.redirectPrefix), uri.hasPrefix(registered) { return true }
            return same(registered, uri) || same(registered, Self.withoutLoopbackPort(uri))
        }
    }

    private static func withoutLoopbackPort(_ uri: String) -> String {
        let host = "http://127.0.0.1"
        guard uri.hasPrefix(host + ":") else { return uri }
        let rest = uri.dropFirst(host.count + 1)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard (1...5).contains(digits.count), let port = Int(digits), (1...65535).contains(port) else { return uri }
        return host + rest.dropFirst(digits.count)
    }
}
