internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The endpoints.
///
/// Paths are compared as they are written, without decoding.
enum Endpoint: String, CaseIterable, Sendable {
    case exchange = "/v1/exchange"
    case nonce = "/v1/nonce"
    case token = "/token"
    case metadata = "/.well-known/oauth-authorization-server"
    case health = "/healthz"
    case authorize = "/authorize"
    /// The provider's id follows this path.
    case callback = "/callback/"
    case debug = "/debug/config"

    init?(path: String, environment: BackendEnvironment) {
        if path.hasPrefix(Self.callback.rawValue) {
            self = .callback
        } else if let endpoint = Self(rawValue: path), endpoint != .debug || environment.makes(.debugPage) {
            self = endpoint
        } else {
            return nil
        }
    }

    /// Whether the endpoint responds with pages and redirects instead of JSON.
    var isForPeople: Bool { self == .authorize || self == .callback }

    /// The name of the endpoint in the log, which must not contain text of the request.
    var label: String { self == .callback ? "/callback" : rawValue }

    func methods(_ environment: BackendEnvironment) -> [String] {
        switch self {
        case .exchange, .nonce, .token: ["POST"]
        case .metadata, .health, .debug: ["GET"]
        case .authorize: ["GET", "POST"]
        // Browsers and mail scanners send HEAD before the user opens the link, so HEAD must not use up the state.
        case .callback: environment.makes(.headConsumes) ? ["GET", "HEAD"] : ["GET"]
        }
    }
}

/// CORS for the registered origins of the clients, compared byte by byte, without credentials (RFC 9700 section 2.6).
enum CORS {
    static func isPreflight(_ incoming: IncomingRequest) -> Bool {
        incoming.request.method == .options && incoming.origin != nil
            && incoming.request.headers[.accessControlRequestMethod] != nil
    }

    /// The response to a preflight.
    ///
    /// It does not name the client, so the origin of any client is accepted.
    static func preflight(_ incoming: IncomingRequest, _ endpoint: Endpoint) -> Response {
        var response = Response(status: .noContent)
        if granted(incoming) != nil {
            response.headers[.accessControlAllowMethods] = endpoint.methods(incoming.environment).joined(
                separator: ", ")
            response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type"
            response.headers[.accessControlMaxAge] = "600"
        }
        return response
    }

    static func grant(_ incoming: IncomingRequest, _ endpoint: Endpoint?, reason: String?, to response: inout Response)
    {
        guard endpoint?.isForPeople != true, reason != "origin_not_allowed", let origin = granted(incoming)
        else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = "X-Request-Id, Retry-After"
        response.headers[.vary] = "Origin"
    }

    private static func granted(_ incoming: IncomingRequest) -> String? {
        guard let origin = incoming.origin else { return nil }
        if incoming.environment.makes(.anyOrigin) { return origin }
        return Client.all.contains { $0.origins.contains { same($0, origin) } } ? origin : nil
    }
}
