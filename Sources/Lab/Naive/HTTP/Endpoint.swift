internal import AttackLab

/// What stands at which path; a path counts as it is written.
enum Endpoint: String, CaseIterable, Sendable {
    case exchange = "/v1/exchange"
    case nonce = "/v1/nonce"
    case token = "/token"
    case metadata = "/.well-known/oauth-authorization-server"
    case health = "/healthz"
    case authorize = "/authorize"
    /// With the provider's id behind it.
    case callback = "/callback/"
    case debug = "/debug/config"

    init?(path: String, kit: Kit) {
        if path.hasPrefix(Self.callback.rawValue) {
            self = .callback
        } else if let endpoint = Self(rawValue: path), endpoint != .debug || kit.makes(.debugPage) {
            self = endpoint
        } else {
            return nil
        }
    }

    /// Pages and redirects instead of JSON.
    var isForPeople: Bool { self == .authorize || self == .callback }

    /// In the log, where no text from outside belongs.
    var label: String { self == .callback ? "/callback" : rawValue }

    func methods(_ kit: Kit) -> [String] {
        switch self {
        case .exchange, .nonce, .token: ["POST"]
        case .metadata, .health, .debug: ["GET"]
        case .authorize: ["GET", "POST"]
        // Browsers and mail scanners send HEAD ahead of the person.
        case .callback: kit.makes(.headConsumes) ? ["GET", "HEAD"] : ["GET"]
        }
    }
}
