internal import HTTPTypes

/// What stands at the public listener, by its path.
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
    case token = "/token"
    case pushedRequest = "/par"
    case deviceAuthorization = "/device_authorization"
    case metadata = "/.well-known/oauth-authorization-server"
    case openAPI = "/openapi.json"
    case authorize = "/authorize"
    /// With the provider's id behind it.
    case callback = "/callback/"
    case device = "/device"

    /// Who reads the answers.
    enum Audience {
        /// A program: JSON.
        case application
        /// A person: pages.
        case person
    }

    /// - Parameter path: as it was sent. `//token`, `/token/` and `/%74oken` are nothing, so that no proxy in front of us
    ///   and we can disagree on what a path is.
    init?(path: String) {
        if let endpoint = Self(rawValue: path), endpoint != .callback {
            self = endpoint
        } else if path.hasPrefix(Self.callback.rawValue) {
            self = .callback
        } else {
            return nil
        }
    }

    var audience: Audience {
        switch self {
        case .authorize, .callback, .device: .person
        default: .application
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .metadata, .openAPI, .callback: [.get]
        case .authorize, .device: [.get, .post]
        case .account: [.get, .delete]
        default: [.post]
        }
    }

    /// Whether what is asked for here usually ends with a custom token.
    var mints: Bool {
        switch self {
        case .exchange, .token, .anonymous, .reauthenticate: true
        default: false
        }
    }

    /// In metrics and logs, where no text from outside belongs.
    var label: String { self == .callback ? "/callback" : rawValue }
}
