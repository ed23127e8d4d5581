package import Flows

/// Why a request is refused: what is wrong with it as HTTP, or the error of ``SignIn/FlowSet``.
package enum RequestError: Error, Equatable, Sendable {
    case notFound
    case methodNotAllowed(allowed: [String])
    case uriTooLong
    case headersTooLarge
    case unsupportedMediaType
    case bodyTooLarge
    /// Not a JSON object, or a query where there must be none.
    case malformedBody
    /// A member that this endpoint does not know; `known` are those that it does.
    case unknownField(known: [String])
    case missingField(String)
    /// A member of another type, empty, or too long.
    case malformedField(String)
    case duplicateField
    /// Another media type where a form must be.
    case formExpected
    /// Not a form, or a query where there must be none.
    case malformedForm
    case unsupportedGrantType
    /// RFC 8693 §2.2.2.
    case invalidTarget
    /// Clients are public.
    case clientAuthentication(byHeader: Bool)
    case originNotAllowed
    /// Not a message that HTTP allows; the connection ends with the answer.
    case malformedMessage(MessageFault)
    /// `retryAfter` is in seconds.
    case rateLimited(retryAfter: Int64)
    case overloaded
    case draining
    case signIn(SignInError)
}
