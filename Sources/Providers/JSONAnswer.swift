package import Jansson
package import Transport

extension OutboundResponse {
    /// The body as a JSON object.
    ///
    /// - Throws: `ProviderFailure.malformedResponse` for another media type than JSON, and for anything that the
    ///   strict reader refuses: duplicate members, trailing text, depth.
    package func jsonObject() throws(ProviderFailure) -> JSON {
        let mediaType = self[field: "Content-Type"]?.prefix { $0 != ";" }.lowercased().filter { $0 != " " } ?? ""
        guard mediaType == "application/json" || (mediaType.hasPrefix("application/") && mediaType.hasSuffix("+json"))
        else { throw .malformedResponse("media type") }
        guard let answer = try? JSON.parse(body, maximumBytes: 256 * 1024), answer.object != nil
        else { throw .malformedResponse("JSON object") }
        return answer
    }
}
