internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// The Firebase ID token of `Authorization: Bearer` (RFC 6750 §2.1).
enum BearerField {
    /// Returns the token; `nil` if the field is missing or repeated, and for any other scheme.
    static func token(_ request: Request) -> Secret? {
        let fields = request.headers[values: .authorization]
        guard fields.count == 1, let field = fields.first else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        // RFC 9110 §11.1: the scheme is case-insensitive.
        guard parts.count == 2, parts[0].lowercased() == "bearer", !parts[1].isEmpty else { return nil }
        return Secret(String(parts[1]))
    }
}

/// The rule for public clients: `client_id` in the form names one, and nothing authenticates it (RFC 6749 §2.1, §3.2.1).
enum PublicClient {
    /// Rejects client secrets: ignoring one would suggest that it was verified.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - form: The body of the request.
    ///   - allowsHeader: Whether the Authorization field may contain the ID token of a user.
    /// - Throws: ``RequestError/clientAuthentication(byHeader:)``.
    static func check(
        _ request: Request, _ form: OAuth.Parameters, allowsHeader: Bool = false
    ) throws(RequestError) {
        guard allowsHeader || request.headers[.authorization] == nil else {
            throw .clientAuthentication(byHeader: true)
        }
        guard form["client_secret"] == nil, form["client_assertion"] == nil
        else { throw .clientAuthentication(byHeader: false) }
    }
}
