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
        guard client.origins.containsExactly(origin) else {
            let configured = client.origins.isEmpty ? "none" : client.origins.sorted().joined(separator: " and ")
            throw .originNotAllowed(
                "the origin is \(shown(origin)), and clients.\(client.id.text).origins has \(configured)")
        }
    }

    /// What the log shows of the field `Origin`: a browser writes only scheme, host and port (RFC 6454 §7).
    private static func shown(_ origin: String) -> String {
        let parts = origin.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/").shown + (parts.count > 3 ? "/…" : "")
    }

    /// Says why the script of a page cannot read a response, for the log: the browser tells the script nothing.
    ///
    /// - Parameter endpoint: The endpoint; `nil` if there is none at the path.
    /// - Returns: `nil` if the script can read it, and if no script asks.
    static func finding(
        _ request: Request, _ endpoint: Endpoint?, _ clients: some Collection<RegisteredClient>
    ) -> String? {
        guard let endpoint, let origin = request.headers[.origin] else { return nil }
        let isFetched = request.values("sec-fetch-mode") == ["cors"]
        if endpoint.isForPeople, isFetched || isPreflight(request) {
            return "a script of \(shown(origin)) fetches this page, to which the application must send the browser"
        }
        // Metadata are read without a preflight.
        guard endpoint.isForApplications, isFetched || isPreflight(request), grantedOrigin(request, clients) == nil
        else { return nil }
        let kind = isPreflight(request) ? "preflight" : "request"
        return "the origin of this \(kind) is \(shown(origin)), which origins of no client has"
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
            let asked = request.headers[values: .accessControlRequestHeaders].flatMap(names)
            response.headers[.accessControlAllowHeaders] = (read + asked.prefix(32)).joined(separator: ", ")
            response.headers[.accessControlMaxAge] = "600"
        }
        return response
    }

    /// The fields of a request that this server reads.
    private static let read = ["Authorization", "Content-Type", "X-Firebase-AppCheck"]

    /// The names in a list of fields that are not read.
    ///
    /// Without them a page whose error reporting or tracing adds fields such as `baggage` and `traceparent` to every request
    /// could send none. They have no effect here.
    private static func names(_ list: String) -> [String] {
        list.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }.filter { name in
            name.utf8.count <= 64 && HTTPField.Name(name) != nil
                && !read.contains { $0.lowercased() == name.lowercased() }
        }
    }

    static func grant(_ origin: String, to response: inout Response) {
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = "X-Request-Id, Retry-After"
        response.headers[.vary] = "Origin"
    }
}
