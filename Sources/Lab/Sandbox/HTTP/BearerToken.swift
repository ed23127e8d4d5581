/// The access token of a request (RFC 6750 §2).
enum BearerToken: Equatable {
    case absent
    case present(String)
    /// Sent by more than one method, or in a field that is not `Bearer` and one token.
    case malformed

    /// Looks in the `Authorization` field, and in `form` for `access_token` (§2.2); nil where the endpoint takes none.
    init(_ request: IncomingRequest, form: FormParameters? = nil) {
        let fields = request.fields("authorization")
        let inForm = form?.pairs.filter { $0.name == "access_token" }.map(\.value) ?? []
        switch (fields.count, inForm.count) {
        case (0, 0):
            self = .absent
        case (0, 1):
            self = .present(inForm[0])
        case (1, 0):
            let words = fields[0].split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, words[0].lowercased() == "bearer", !words[1].isEmpty else {
                self = .malformed
                return
            }
            self = .present(String(words[1]))
        default:
            self = .malformed
        }
    }
}
