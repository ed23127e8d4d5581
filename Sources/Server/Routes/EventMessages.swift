internal import HTTPTypes
internal import Hummingbird
internal import Jansson
internal import Providers
internal import Standards

/// The messages of `POST /v1/events/{provider}`.
enum EventMessages {
    /// Returns the form of a message, by its media type; `nil` for any other media type.
    static func message(of request: Request) -> EventMessage? {
        switch request.headers[.contentType]?.prefix(while: { $0 != ";" }).lowercased().filter({ $0 != " " }) {
        case "application/x-www-form-urlencoded": .logoutToken
        case "application/secevent+jwt": .securityEvent
        case "application/json": .notification
        default: nil
        }
    }

    static let unsupportedMediaType = Refusal(
        .unsupportedMediaType,
        "The body has the wrong media type. Send a logout token as application/x-www-form-urlencoded, a security event token "
            + "as application/secevent+jwt, or a notification as application/json, uncompressed.")

    /// Reads the token of a message.
    ///
    /// - Returns: The token, of which nothing is verified.
    /// - Throws: `Refusal` for a body that does not have this form.
    static func token(
        of message: EventMessage, _ incoming: IncomingRequest, limits: ServerLimits
    ) async throws(Refusal) -> Secret {
        switch message {
        case .logoutToken:
            // Back-Channel Logout §2.5: the body may contain further parameters, which are ignored.
            let form = try await FormBody.read(incoming, limits: limits)
            guard let token = form["logout_token"] else { throw .missingField("logout_token") }
            return Secret(token)
        case .securityEvent:
            guard incoming.request.headers[.contentEncoding] == nil else { throw unsupportedMediaType }
            let bytes = try await RequestBody.collect(incoming, upTo: limits.bodyBytes)
            let text = String(decoding: bytes, as: UTF8.self)
            return Secret(String(text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }))
        case .notification:
            let body = try await JSONBody.read(incoming, limits: limits)
            guard let token = body["payload"]?.string else { throw .missingField("payload") }
            return Secret(token)
        }
    }

    /// Returns the response to a message that was accepted.
    ///
    /// Back-Channel Logout §2.8: 200 and no caching, which holds for every response of this server. RFC 8935 §2.2: 202, and
    /// "The body of the response MUST be empty".
    static func accepted(_ message: EventMessage) -> Response {
        message == .securityEvent ? Response(status: .accepted) : .json(.object([:]))
    }

    /// Returns the response to a refused message, with the members of RFC 8935 §2.3 for a security event token.
    static func response(to refusal: Refusal, of message: EventMessage?, requestID: String) -> Response {
        let error = ErrorResponse(refusal)
        guard message == .securityEvent else { return .refusal(error, requestID: requestID) }
        var members = error.json(requestID: requestID).object ?? [:]
        members["err"] = .string(code(of: refusal.reason))
        members["description"] = .string(refusal.description)
        var response = Response.json(.object(members), status: HTTPResponse.Status(code: error.status))
        response.headers[.contentLanguage] = "en"
        response.annotate(with: error)
        return response
    }

    /// The error codes of RFC 8935 §2.4.
    private static func code(of reason: Reason) -> String {
        switch reason {
        case .issuerMismatch: "invalid_issuer"
        case .audienceMismatch: "invalid_audience"
        case .signatureInvalid, .algorithmNotAllowed, .unknownKey: "invalid_key"
        case .providerDisabled, .unknownProvider: "access_denied"
        default: "invalid_request"
        }
    }
}
