internal import Flows
internal import Standards

/// The refusals of HTTP requests that reach no flow.
extension Refusal {
    static let notFound = Refusal(
        .notFound, "No endpoint has this path. See /openapi.json for the list of paths.")

    static let notFoundAtAdminListener = Refusal(
        .notFound, "The admin listener has only the paths /healthz, /readyz and /metrics.")

    /// - Parameter path: A path that no endpoint has.
    /// - Returns: A refusal that tells the operator of a similar path, of a response that an application should receive, and of
    ///   the listener of health checks.
    static func notFound(at path: String, query: String?) -> Refusal {
        let names = Set((query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } })
        let isResponse = names.contains("state") && (names.contains("code") || names.contains("error"))
        let finding: String? =
            if let similar = Endpoint.similar(to: path) {
                "the path differs from \(similar.path) only in slashes or in the case of its letters"
            } else if isResponse {
                "the request is the response to an authorization request: if a redirect_uri of clients names this server's own "
                    + "address, let the application answer there, or write another redirect_uri; if a provider sent it, register "
                    + "the redirect URI that token-exchange doctor prints"
            } else if let endpoint = Endpoint.below(path) {
                "the path is \(endpoint.path) with something in front of it: if a proxy adds that, let it pass the path unchanged; "
                    + "otherwise the caller has to leave it out"
            } else if ["/healthz", "/readyz"].contains(path) {
                "the public listener has \(path) only with server.admin_listen: off; otherwise let the health check ask the address "
                    + "of server.admin_listen"
            } else if path == "/metrics" {
                "/metrics is at the address of server.admin_listen, and nowhere with admin_listen: off"
            } else {
                nil
            }
        return Refusal(.notFound, notFound.description, finding: finding)
    }

    /// - Parameter isGET: Whether the request may be what a redirect has left of another one.
    static func methodNotAllowed(allowed: [String], isGET: Bool = false) -> Refusal {
        Refusal(
            .methodNotAllowed,
            "The endpoint does not support this method. Use a method from the Allow header field.",
            finding: "the endpoint has " + allowed.joined(separator: " and ")
                + (isGET && !allowed.contains("GET")
                    ? "; a client that sent it may have followed a redirect with GET, and has to call its destination"
                    : ""),
            .methods(allowed))
    }

    static let uriTooLong = Refusal(
        .uriTooLong, "The request target is longer than 8 KiB. Send a shorter one.")

    static let headersTooLarge = Refusal(
        .headersTooLarge, "The request has more than 100 header fields or more than 16 KiB of them. Send fewer.")

    static let unsupportedMediaType = unsupportedMediaType(nil, isCompressed: false, expected: "application/json")

    /// - Parameters:
    ///   - field: The `Content-Type` of the request.
    ///   - isCompressed: Whether it has a `Content-Encoding`.
    ///   - expected: The media type that the endpoint reads.
    /// - Returns: A refusal that names the media type if it is a common one.
    static func unsupportedMediaType(_ field: String?, isCompressed: Bool, expected: String) -> Refusal {
        // A description contains no text of the request.
        let known = [
            "application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain",
            "application/octet-stream", "application/xml",
        ]
        let type = (field ?? "").filter { $0 != " " && $0 != "\t" }.prefix { $0 != ";" }.lowercased()
        let problem: String
        var finding = "the media type is \(type.isEmpty ? "missing" : type.shown), and this endpoint reads \(expected)"
        if isCompressed {
            problem = "is compressed"
            finding = "the request has Content-Encoding, and this endpoint reads no compressed body"
        } else if type == expected {
            problem = "has a media type with another parameter than charset=utf-8"
            finding =
                "Content-Type has another parameter than charset=utf-8, and this endpoint reads \(expected) only with that or without one"
        } else {
            problem = known.first { $0 == type }.map { "has the media type \($0)" } ?? "has the wrong media type"
        }
        return Refusal(
            .unsupportedMediaType,
            "The body \(problem). Send Content-Type: \(expected) in UTF-8, uncompressed.", finding: finding)
    }

    static let bodyTooLarge = Refusal(.bodyTooLarge, "The body is longer than 64 KiB. Send a shorter one.")

    /// The body is not a JSON object, or the URL has a query.
    static let malformedBody = Refusal(
        .malformedBody,
        "The body is not a JSON object in UTF-8, or the URL has a query. Send all members in one JSON object.")

    static func malformedBody(_ finding: String) -> Refusal {
        malformedBody.with(finding: finding)
    }

    /// - Parameter names: Those of the request.
    /// - Returns: A refusal that names the member if another endpoint, or another place of the body, has it.
    static func unknownField(known: [String], among names: [String] = []) -> Refusal {
        // A description contains no text of the request: these are the names that applications misplace most often.
        let misplaced = [
            "nonce_verifier", "nonce", "code", "code_verifier", "code_challenge", "redirect_uri", "id_token",
            "access_token",
            "client_secret", "provider", "scope", "scopes", "state", "type",
        ].first { names.contains($0) && !known.contains($0) }
        return Refusal(
            .unknownField,
            "The request has "
                + (misplaced.map { "the member \($0), which this endpoint does not support there" }
                    ?? "a member that this endpoint does not support")
                + ". Supported members: \(known.joined(separator: ", ")).",
            finding: known.lazy.filter { !names.contains($0) }.compactMap { respelled($0, among: names) }.first)
    }

    static func missingField(_ name: String) -> Refusal {
        Refusal(.missingField, "The member \(name) is missing. Add it to the request.")
    }

    /// A member has another type, length or form than its schema.
    static func malformedField(_ name: String, _ problem: String) -> Refusal {
        Refusal(.malformedBody, "The member \(name) \(problem). See its schema at /openapi.json.")
    }

    /// Two members are present, of which a request has only one.
    static func contradictoryFields(_ one: String, _ other: String) -> Refusal {
        Refusal(.unknownField, "The request has both \(one) and \(other). Send only one of them.")
    }

    static let duplicateField = Refusal(
        .duplicateParameter, "A member or parameter occurs twice. Send each one once.")

    static func duplicateField(_ finding: String?) -> Refusal {
        duplicateField.with(finding: finding)
    }

    /// The media type is not that of a form.
    static let formExpected = unsupportedMediaType(
        nil, isCompressed: false, expected: "application/x-www-form-urlencoded")

    /// The body is not a form, or the URL has a query.
    static let malformedForm = Refusal(
        .malformedBody,
        "The parameters have no =, invalid percent-encoding or control characters, or the URL of a form request has a query. "
            + "Encode all parameters as application/x-www-form-urlencoded.")

    static func malformedForm(_ finding: String) -> Refusal {
        malformedForm.with(finding: finding)
    }

    /// The client sent a secret, although all clients are public.
    static func clientAuthentication(byHeader: Bool) -> Refusal {
        Refusal(
            .unknownClient,
            "All clients are public. Send client_id in the form, or as the user name of Authorization: Basic, and no "
                + "secret.",
            finding: byHeader
                ? "the request has several Authorization fields, or one that is neither Bearer nor Basic with a client_id "
                    + "and an empty password: if the form has client_id, leave out the field"
                : "the form has client_secret or client_assertion: leave it out",
            byHeader ? .basicAuthentication : nil)
    }

    /// No endpoint accepts a credential of this type.
    static let unknownCredentialType = Refusal(
        .unknownCredentialType,
        "This endpoint has no credential of this type. Use one of "
            + CredentialType.allCases.map(\.rawValue).joined(separator: ", ")
            + "; at /v1/exchange also second_factor, and at /v1/account/link and /v1/account/reauthenticate handoff.")

    static func originNotAllowed(_ finding: String) -> Refusal {
        Refusal(
            .originNotAllowed,
            "This web origin is not configured for the client. Add it to the origins of the client.", finding: finding)
    }

    /// - Parameter retryAfter: Seconds.
    /// - Returns: A refusal that nothing was spent before.
    static func rateLimited(retryAfter: Int64) -> Refusal {
        Refusal(
            .rateLimited, "This address or account sends too many requests. Retry after the time in Retry-After.",
            .retryAfter(retryAfter), isUnspent: true)
    }

    static let overloaded = Refusal(
        .overloaded, "The server is at capacity. Retry after the time in Retry-After.", isUnspent: true)

    static let draining = Refusal(
        .draining, "The server is shutting down. Retry after the time in Retry-After.", isUnspent: true)
}
