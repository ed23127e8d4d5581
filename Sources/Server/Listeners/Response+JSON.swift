internal import HTTPTypes
internal import Hummingbird
internal import Jansson
internal import NIOCore

extension Response {
    static func json(_ content: JSON, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: content.serialized())))
    }

    static func json(text: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    static func refusal(_ answer: ErrorResponse, requestID: String) -> Response {
        var response = json(answer.json(requestID: requestID), status: HTTPResponse.Status(code: answer.status))
        response.annotate(with: answer)
        return response
    }

    /// The header fields of a refusal.
    mutating func annotate(with answer: ErrorResponse) {
        if let seconds = answer.retryAfter {
            headers[.retryAfter] = String(seconds)
        }
        if !answer.allowed.isEmpty {
            headers[.allow] = answer.allowed.joined(separator: ", ")
        }
        headers[.wwwAuthenticate] = answer.challenge
        // What is left of a body that we refused to read is not waited for.
        if answer.status == 413 || answer.reason == .draining || answer.endsConnection {
            headers[.connection] = "close"
        }
    }

    /// The header fields of every answer: what it holds is only for its reader (RFC 6749 §5.1).
    mutating func secure(requestID: String) {
        headers[.cacheControl] = "no-store"
        set(Self.pragma, "no-cache")
        headers[.xContentTypeOptions] = "nosniff"
        set(Self.referrerPolicy, "no-referrer")
        if headers[.contentSecurityPolicy] == nil {
            headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        }
        set(Self.requestID, requestID)
    }

    private static let pragma = HTTPField.Name("Pragma")
    private static let referrerPolicy = HTTPField.Name("Referrer-Policy")
    private static let requestID = HTTPField.Name("X-Request-Id")

    private mutating func set(_ name: HTTPField.Name?, _ value: String) {
        guard let name else { return }
        headers[name] = value
    }
}

/// An answer, and what metrics and log are told of it.
struct EndpointResponse: Sendable {
    var response: Response
    var reason: Reason?
    var failure: RequestError?

    static func refusal(_ error: RequestError, requestID: String) -> EndpointResponse {
        let refusal = ErrorTable.response(to: error)
        return EndpointResponse(
            response: .refusal(refusal, requestID: requestID), reason: refusal.reason, failure: error)
    }
}
