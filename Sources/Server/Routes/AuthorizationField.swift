internal import Flows
internal import HTTPTypes
internal import Hummingbird
import JOSE
internal import Standards

/// The Firebase ID token of `Authorization: Bearer` (RFC 6750 §2.1).
enum BearerField {
    /// Returns the token; `nil` if the field is missing or repeated, and for any other scheme.
    static func token(_ request: Request) -> Secret? {
        let fields = request.headers[values: .authorization]
        guard fields.count == 1, let field = fields.first else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, hasScheme(field), !parts[1].isEmpty else { return nil }
        return Secret(String(parts[1]))
    }

    /// Returns the refusal of a missing token with what stands in its place; every other refusal is returned as it is.
    static func explained(_ refusal: Refusal, _ request: Request) -> Refusal {
        let fields = request.headers[values: .authorization]
        guard refusal.description == Refusal.bearerMissing.description, let field = fields.first else {
            return refusal
        }
        let found =
            fields.count > 1
            ? "the request has several Authorization fields"
            : hasScheme(field)
                ? "the Authorization field has no token"
                : "the Authorization field does not begin with Bearer and a blank"
        return Refusal(refusal.reason, refusal.description, finding: found, isUnspent: refusal.isUnspent)
    }

    static func hasScheme(_ field: String) -> Bool {
        // RFC 9110 §11.1: the scheme is case-insensitive.
        field.prefix { $0 != " " }.lowercased() == "bearer"
    }
}

/// The identification of a public client, which nothing authenticates (RFC 6749 §2.1, §3.2.1).
///
/// The client sends `client_id` in the form. OAuth libraries that know only confidential clients send it as the user
/// name of `Authorization: Basic`, with an empty password (§2.3.1). A bearer token identifies no client: applications whose
/// HTTP library adds that of the user to every request send it here, too.
enum PublicClient {
    /// Rejects client secrets: ignoring one would suggest that it was verified.
    ///
    /// - Returns: The form, with `client_id` from the Authorization field if it has none.
    /// - Throws: The refusal of a secret, or of a field that names another client than the form.
    static func identify(
        _ request: Request, _ form: Standards.Parameters
    ) throws(Refusal) -> Standards.Parameters {
        guard form["client_secret"] == nil, form["client_assertion"] == nil
        else { throw .clientAuthentication(byHeader: false) }
        let fields = request.headers[values: .authorization]
        guard !fields.isEmpty, fields.count > 1 || !BearerField.hasScheme(fields[0]) else { return form }
        guard let credentials = BasicField.credentials(request), credentials.password.isEmpty,
            !credentials.user.isEmpty
        else { throw .clientAuthentication(byHeader: true) }
        guard let client = form["client_id"] else {
            return Standards.Parameters(form.pairs + [("client_id", credentials.user)])
        }
        guard client.exactlyEquals(credentials.user) else {
            throw Refusal(
                .unknownClient,
                "The Authorization field names another client than client_id. Send the client_id once, in the form.",
                .basicAuthentication)
        }
        return form
    }
}

/// The client credentials of `Authorization: Basic` (RFC 6749 §2.3.1, RFC 7617).
private enum BasicField {
    /// Returns user name and password; `nil` if the field is repeated or malformed, and for any other scheme.
    static func credentials(_ request: Request) -> (user: String, password: String)? {
        let fields = request.headers[values: .authorization]
        guard fields.count == 1, let field = fields.first else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "basic", let octets = Base64.decode(String(parts[1]))
        else { return nil }
        let halves = octets.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(validating: $0, as: UTF8.self) }
        // RFC 6749 §2.3.1: both are encoded as in a form.
        guard halves.count == 2, let user = halves[0].flatMap({ PercentEncoding.decode($0, plusIsSpace: true) }),
            let password = halves[1].flatMap({ PercentEncoding.decode($0, plusIsSpace: true) })
        else { return nil }
        return (user, password)
    }
}
