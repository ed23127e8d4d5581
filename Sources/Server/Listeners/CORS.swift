internal import Flows
internal import HTTPTypes
internal import Hummingbird
internal import JOSE
internal import Standards

/// Cross-origin requests of web applications: exact origins, no wildcard, no credentials (RFC 9700 §2.6).
enum CORS {
    /// Refuses a request from a web origin that is not configured for the client.
    ///
    /// A request without `Origin` does not come from a page in a browser and passes. An unknown client passes as well:
    /// the flow refuses it later.
    static func check(_ request: Request, client: RegisteredClient?) throws(Refusal) {
        guard let origin = request.headers[.origin], let client else { return }
        guard client.origins.containsExactly(origin) else { throw .originNotAllowed }
    }

    static func isPreflight(_ request: Request) -> Bool {
        request.headers[.origin] != nil && request.headers[.accessControlRequestMethod] != nil
    }

    /// The origin of the request if any client has it; otherwise `nil`.
    ///
    /// A preflight request does not name its client, so that the origins of all clients count.
    static func grantedOrigin(_ request: Request, _ clients: some Collection<RegisteredClient>) -> String? {
        guard let origin = request.headers[.origin], clients.contains(where: { $0.origins.containsExactly(origin) })
        else { return nil }
        return origin
    }

    static func preflight(
        _ request: Request, _ endpoint: Endpoint, _ clients: some Collection<RegisteredClient>
    ) -> Response {
        var response = Response(status: .noContent)
        if grantedOrigin(request, clients) != nil {
            response.headers[.accessControlAllowMethods] = endpoint.methods.map(\.rawValue)
                .joined(separator: ", ")
            response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, X-Firebase-AppCheck"
            response.headers[.accessControlMaxAge] = "600"
        }
        return response
    }

    static func grant(_ origin: String, to response: inout Response) {
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = "X-Request-Id, Retry-After"
        response.headers[.vary] = "Origin"
    }
}
