internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// Clients here are public: `client_id` in the form names one, and nothing authenticates it (RFC 6749 §2.1, §3.2.1).
enum PublicClient {
    /// Rejects client secrets: ignoring one would suggest that it was verified.
    ///
    /// - `allowsHeader`: where the Authorization field holds a user's token.
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
