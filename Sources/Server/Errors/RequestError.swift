package import Flows

/// The reason for which a request is refused: a fault of the HTTP request, or the error of a flow.
package enum RequestError: Error, Equatable, Sendable {
    case notFound
    case methodNotAllowed(allowed: [String])
    case uriTooLong
    case headersTooLarge
    case unsupportedMediaType
    case bodyTooLarge
    /// The body is not a JSON object, or the URL has a query.
    case malformedBody
    /// A member that this endpoint does not support; `known` are the supported ones.
    case unknownField(known: [String])
    case missingField(String)
    /// A member has the wrong type, is empty or is too long.
    case malformedField(String)
    case duplicateField
    /// The media type is not that of a form.
    case formExpected
    /// The body is not a form, or the URL has a query.
    case malformedForm
    case unsupportedGrantType
    /// The request names an audience or a resource (RFC 8693 §2.2.2).
    case invalidTarget
    /// The client sent a secret, although all clients are public.
    case clientAuthentication(byHeader: Bool)
    /// `Authorization: Basic` names another client than the form.
    case clientMismatch
    case originNotAllowed
    /// The HTTP message is malformed; the connection closes after the response.
    case malformedMessage(MessageFault)
    /// `retryAfter` is in seconds.
    case rateLimited(retryAfter: Int64)
    case overloaded
    case draining
    case signIn(SignInError)
}
