internal import HTTPTypes
internal import Hummingbird
internal import Jansson

/// Reads the body of a request to `/v1/*`: one JSON object, strictly.
enum JSONBody {
    /// More than any request has.
    private static let maximumValues = 512
    /// Somewhat more than the longest member, an ID token, may have.
    private static let maximumStringBytes = 33 * 1024

    /// - Throws: ``RequestError`` for another media type, a query, a body over the limit, and for
    ///   anything that is not one JSON object without duplicate members.
    static func read(_ incoming: IncomingRequest, limits: ServerLimits) async throws(RequestError) -> JSON {
        let request = incoming.request
        guard isJSON(request.headers[.contentType]), request.headers[.contentEncoding] == nil
        else { throw .unsupportedMediaType }
        // RFC 9700 §4.3.2: nothing secret in a query, where it would be logged on the way.
        guard request.uri.query == nil else { throw .malformedBody }
        let bytes = try await RequestBody.collect(incoming, upTo: limits.bodyBytes)
        do {
            let body = try JSON.parse(
                bytes, maximumBytes: limits.bodyBytes, maximumDepth: 8, maximumValues: Self.maximumValues,
                maximumStringBytes: Self.maximumStringBytes)
            guard body.object != nil else { throw RequestError.malformedBody }
            return body
        } catch JSONError.duplicateMember {
            throw .duplicateField
        } catch {
            throw .malformedBody
        }
    }

    /// `application/json`, without parameters or with `charset=utf-8`, the only one that JSON has (RFC 8259 §8.1).
    private static func isJSON(_ field: String?) -> Bool {
        let form = (field ?? "").lowercased().filter { $0 != " " && $0 != "\t" }
        return form == "application/json" || form == "application/json;charset=utf-8"
            || form == "application/json;charset=\"utf-8\""
    }
}
