internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// Reads the body of a form: `application/x-www-form-urlencoded` (RFC 6749 appendix B), strictly.
enum FormBody {
    /// - Throws: ``RequestError`` for another media type, a query, a body over the limit, broken encoding, and for
    ///   a parameter that is given twice (RFC 6749 §3.1, §3.2).
    static func read(
        _ incoming: IncomingRequest, limits: ServerLimits, repeatable: Set<String> = []
    ) async throws(RequestError) -> OAuth.Parameters {
        guard isForm(incoming.request.headers[.contentType]), incoming.request.headers[.contentEncoding] == nil
        else { throw .formExpected }
        // RFC 6749 §3.2: nothing that belongs into the body is taken from the URL, where it would be logged.
        guard incoming.query == nil else { throw .malformedForm }
        let bytes = try await RequestBody.collect(incoming, upTo: limits.bodyBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformedForm }
        return try parse(text, repeatable: repeatable)
    }

    /// RFC 6749 §3.1, §3.2: a parameter without a value counts as left out.
    static func parse(
        _ text: some StringProtocol, repeatable: Set<String> = []
    ) throws(RequestError) -> OAuth.Parameters {
        do {
            return OAuth.Parameters(
                try OAuth.Parameters.parse(text, repeatable: repeatable).pairs.filter { !$0.value.isEmpty })
        } catch {
            switch error {
            case .repeated: throw .duplicateField
            case .malformed: throw .malformedForm
            }
        }
    }

    private static func isForm(_ field: String?) -> Bool {
        let form = (field ?? "").lowercased().filter { $0 != " " && $0 != "\t" }
        return form == "application/x-www-form-urlencoded"
            || form == "application/x-www-form-urlencoded;charset=utf-8"
            || form == "application/x-www-form-urlencoded;charset=\"utf-8\""
    }
}
