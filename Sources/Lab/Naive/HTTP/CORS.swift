internal import AttackLab
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Web pages of other origins: those of the clients, spelt alike, without credentials (RFC 9700 section 2.6).
enum CORS {
    static func isPreflight(_ visit: Visit) -> Bool {
        visit.request.method == .options && visit.origin != nil
            && visit.request.headers[.accessControlRequestMethod] != nil
    }

    /// Which client is asking, a preflight does not say: an origin of any is enough.
    static func preflight(_ visit: Visit, _ endpoint: Endpoint) -> Response {
        var response = Response(status: .noContent)
        if granted(visit) != nil {
            response.headers[.accessControlAllowMethods] = endpoint.methods(visit.kit).joined(separator: ", ")
            response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type"
            response.headers[.accessControlMaxAge] = "600"
        }
        return response
    }

    static func grant(_ visit: Visit, _ endpoint: Endpoint?, reason: String?, to response: inout Response) {
        guard endpoint?.isForPeople != true, reason != "origin_not_allowed", let origin = granted(visit)
        else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = "X-Request-Id, Retry-After"
        response.headers[.vary] = "Origin"
    }

    private static func granted(_ visit: Visit) -> String? {
        guard let origin = visit.origin else { return nil }
        if visit.kit.makes(.anyOrigin) { return origin }
        return Client.all.contains { $0.origins.contains { same($0, origin) } } ? origin : nil
    }
}
