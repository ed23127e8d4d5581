internal import Flows
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// Cross-origin requests of web applications: exact origins, no wildcard, no credentials (RFC 9700 §2.6).
enum CORS {
    /// An application may call from its own origins; a request without `Origin` is not that of a browser's page.
    ///
    /// `FlowSet` refuses an unknown client later.
    static func check(_ request: Request, client: RegisteredClient?) throws(RequestError) {
        guard let origin = request.headers[.origin], let client else { return }
        guard client.origins.containsExactly(origin) else { throw .originNotAllowed }
    }

    static func isPreflight(_ request: Request) -> Bool {
        request.headers[.origin] != nil && request.headers[.accessControlRequestMethod] != nil
    }

    /// The request's origin, where some client has it.
    ///
    /// Which client is asking, a preflight does not say.
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
