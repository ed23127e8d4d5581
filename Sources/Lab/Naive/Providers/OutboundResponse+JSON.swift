internal import Jansson
internal import Transport

extension OutboundResponse {
    /// The body, where it says that it is JSON, and is; nil for anything else.
    var json: JSON? {
        let mediaType = self[field: "Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard mediaType == "application/json" else { return nil }
        return try? JSON.parse(body, maximumBytes: 256 * 1024)
    }
}
