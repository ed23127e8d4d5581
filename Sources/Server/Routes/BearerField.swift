internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// The Firebase ID token of `Authorization: Bearer` (RFC 6750 §2.1).
enum BearerField {
    /// Nil where there is none, where there are two, and for any other scheme.
    static func token(_ request: Request) -> Secret? {
        let fields = request.headers[values: .authorization]
        guard fields.count == 1, let field = fields.first else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        // RFC 9110 §11.1: the scheme does not depend on case.
        guard parts.count == 2, parts[0].lowercased() == "bearer", !parts[1].isEmpty else { return nil }
        return Secret(String(parts[1]))
    }
}
