internal import Firebase
internal import HTTPTypes
internal import Hummingbird
internal import Jansson
internal import Standards

/// An endpoint of the public listener, as `Endpoints.swift` declares it.
///
/// The router, the method check, CORS, the rates, the labels of metrics and the error responses of the API description
/// follow from this value. `openapi.json` describes its requests and responses; a test compares the two.
struct Endpoint: Sendable {
    /// The path, or a prefix and one parameter in braces at its end.
    let path: String
    let operations: [Operation]

    init(_ path: String, _ operations: Operation...) {
        self.path = path
        self.operations = operations
    }

    /// What an endpoint does for one method.
    struct Operation: Sendable {
        let method: HTTPRequest.Method
        let body: Body
        /// The rate of the network, against which a request counts before its handler reads it; `nil` if the handler
        /// itself counts.
        let rate: Rate?
        /// Whether a successful response usually contains a custom token.
        let mints: Bool
        /// The reasons for which the operation refuses a request.
        ///
        /// `method_not_allowed` is not listed, and `not_found` only for logos: otherwise they occur if a request matches
        /// no operation.
        let reasons: Set<Reason>
        let handler: Handler
    }

    /// What a request carries, which also decides how it can be malformed.
    enum Body {
        case none, query, form, json
        /// A form that a page of a provider posts, from another site.
        case formOfProvider
        /// A message of a provider about an event: a form, a JWT or a JSON object.
        case event
    }

    typealias Rate = @Sendable (Rates) -> NetworkRateLimiter?

    /// The code that responds to a request; its kind says who reads the response, and what is checked before.
    enum Handler: Sendable {
        /// For an application: the response is JSON.
        case application(
            @Sendable (ApplicationRoutes) -> (IncomingRequest) async throws(Refusal) -> EndpointResponse)
        /// For an application with the Firebase ID token of a user.
        ///
        /// If the operation changes something, it begins with a check of the session, whatever `check_revoked` says.
        case account(
            isChange: Bool,
            @Sendable (AccountRoutes) -> (IncomingRequest, FirebaseUser) async throws(Refusal) -> JSON)
        /// For a server of a provider, which no browser may call: the handler counts the rate, and makes the response to a
        /// refusal.
        case provider(@Sendable (EventRoutes) -> (IncomingRequest) async -> EndpointResponse)
        /// For a person with a browser: the response is a page or a redirect.
        case page(@Sendable (PageRoutes) -> (IncomingRequest, BrowserCookies) async throws -> Response)
    }
}

extension Endpoint {
    /// Finds the endpoint of a path, which is neither decoded nor normalized.
    ///
    /// `//token`, `/token/` and `/%74oken` are not endpoints: a proxy in front of the server could interpret them
    /// differently and skip its rules for `/token`.
    static func of(path: String) -> Endpoint? { byPath[path] ?? prefixes.first { path.hasPrefix($0.prefix) } }

    /// The endpoint whose path differs from a path only in slashes or in the case of its letters; `nil` if there is none.
    ///
    /// A request to it is refused: an endpoint has one path.
    static func similar(to path: String) -> Endpoint? {
        let segments = path.lowercased().split(separator: "/")
        return segments.isEmpty ? nil : of(path: "/" + segments.joined(separator: "/"))
    }

    /// The endpoint whose path is the end of a path, behind other segments; `nil` if there is none.
    static func below(_ path: String) -> Endpoint? {
        // No endpoint has more segments.
        var segments = path.split(separator: "/").dropFirst().suffix(4)
        while !segments.isEmpty {
            if let endpoint = of(path: "/" + segments.joined(separator: "/")) { return endpoint }
            segments = segments.dropFirst()
        }
        return nil
    }

    private static let byPath = Dictionary(
        uniqueKeysWithValues: all.filter { endpoint in !endpoint.path.hasSuffix("}") }.map { ($0.path, $0) })
    private static let prefixes = all.filter { $0.path.hasSuffix("}") }

    /// The path without its parameter.
    var prefix: String { String(path.prefix { $0 != "{" }) }

    /// The name in metrics and logs, which contains no text of the request.
    var label: String { path.hasSuffix("}") ? String(prefix.dropLast()) : path }

    var methods: [HTTPRequest.Method] { operations.map(\.method) }

    func operation(for method: HTTPRequest.Method) -> Operation? { operations.first { $0.method == method } }

    /// Whether a person reads the responses.
    var isForPeople: Bool {
        operations.contains { operation in if case .page = operation.handler { true } else { false } }
    }

    /// Whether the web origins of clients may read the responses.
    var isForApplications: Bool {
        operations.contains { operation in
            switch operation.handler {
            case .application, .account: true
            case .page, .provider: false
            }
        }
    }
}

/// The response of an endpoint, with its reason and refusal for metrics, the audit trail and the request log.
struct EndpointResponse: Sendable {
    var response: Response
    var reason: Reason?
    var failure: Refusal?
    /// The client of the request, for the log.
    var client: ClientID?
    /// The provider of the request, for the log.
    var provider: ProviderID?

    static func json(_ body: JSON, status: HTTPResponse.Status = .ok) -> EndpointResponse {
        EndpointResponse(response: .json(body, status: status))
    }

    static func refusal(_ error: Refusal, requestID: String) -> EndpointResponse {
        EndpointResponse(
            response: .refusal(ErrorResponse(error), requestID: requestID), reason: error.reason, failure: error)
    }
}
