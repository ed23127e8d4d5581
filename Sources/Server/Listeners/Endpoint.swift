internal import HTTPTypes

/// An endpoint of the public listener, by its path.
enum Endpoint: String, CaseIterable {
    case exchange = "/v1/exchange"
    case signIn = "/v1/signin"
    case nonce = "/v1/nonce"
    case anonymous = "/v1/anonymous"
    case account = "/v1/account"
    case link = "/v1/account/link"
    case unlink = "/v1/account/unlink"
    case reauthenticate = "/v1/account/reauthenticate"
    case merge = "/v1/account/merge"
    case signOut = "/v1/account/signout"
    case factors = "/v1/account/factors"
    case confirmFactor = "/v1/account/factors/confirm"
    case removeFactor = "/v1/account/factors/remove"
    case providerToken = "/v1/provider-token"
    case token = "/token"
    case pushedRequest = "/par"
    case deviceAuthorization = "/device_authorization"
    case metadata = "/.well-known/oauth-authorization-server"
    /// The same document, for libraries that know only OpenID Connect Discovery (RFC 8414 §5).
    case openIDConfiguration = "/.well-known/openid-configuration"
    case openAPI = "/openapi.json"
    /// The page for a person who opens the address of the server itself.
    case home = "/"
    case authorize = "/authorize"
    /// The prefix of the callback paths; the id of the provider follows.
    case callback = "/callback/"
    case device = "/device"
    /// The prefix of the paths of logos; the digest of the image follows.
    case logo = "/logo/"

    /// The reader of the responses.
    enum Audience {
        /// An application: responses are JSON.
        case application
        /// A person with a browser: responses are pages and redirects.
        case person
    }

    /// Finds the endpoint of a path, which is neither decoded nor normalized.
    ///
    /// `//token`, `/token/` and `/%74oken` are not endpoints: a proxy in front of the server could interpret them
    /// differently and skip its rules for `/token`.
    ///
    /// - Parameter path: The path as the client sent it.
    init?(path: String) {
        if let prefix = [Self.callback, .logo].first(where: { path.hasPrefix($0.rawValue) }) {
            self = prefix
        } else if let endpoint = Self(rawValue: path) {
            self = endpoint
        } else {
            return nil
        }
    }

    var audience: Audience {
        switch self {
        case .home, .authorize, .callback, .device, .logo: .person
        default: .application
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .home, .metadata, .openIDConfiguration, .openAPI, .callback, .logo: [.get]
        case .authorize, .device: [.get, .post]
        case .account: [.get, .delete]
        case .factors: [.get, .post]
        default: [.post]
        }
    }

    /// Whether a successful response usually contains a custom token.
    var mints: Bool {
        switch self {
        case .exchange, .token, .anonymous, .reauthenticate: true
        default: false
        }
    }

    /// The name in metrics and logs, which contains no text of the request.
    var label: String { self != .home && rawValue.hasSuffix("/") ? String(rawValue.dropLast()) : rawValue }
}
