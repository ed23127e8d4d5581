import Jansson
import Transport

/// What a message says, as plain text for people: one parameter or member a line, long values shortened.
enum MessageText {
    /// Query, `Authorization` and body; empty where there is none of them.
    static func contents(_ request: RecordedRequest) -> String {
        var parts: [String] = []
        if let query = request.query { parts.append(parameters(query)) }
        if let authorization = request[field: "authorization"] { parts.append(Self.authorization(authorization)) }
        if let form = request.form {
            parts.append(parameters(form))
        } else if !request.body.isEmpty {
            parts.append(body(request.body, type: request[field: "content-type"]))
        }
        return parts.joined(separator: "\n\n")
    }

    /// Where it leads, and its body.
    static func contents(_ response: OutboundResponse) -> String {
        var parts: [String] = []
        if let location = response[field: "location"] {
            let target = RecordedRequest.get(location)
            parts.append("Location: " + target.endpoint)
            if let query = target.query { parts.append(parameters(query)) }
        }
        if !response.body.isEmpty { parts.append(body(response.body, type: response[field: "content-type"])) }
        return parts.joined(separator: "\n\n")
    }

    private static func parameters(_ parameters: FormParameters) -> String {
        parameters.pairs.map { "\($0.name) = \(JSONText.shortened($0.value))" }.joined(separator: "\n")
    }

    /// The credentials of a client are named and not shown, so that the eye is not drawn to them.
    private static func authorization(_ field: String) -> String {
        if field.lowercased().hasPrefix("basic ") { return "Authorization: Basic (client id and client secret)" }
        guard field.lowercased().hasPrefix("oauth ") else { return "Authorization: " + JSONText.shortened(field) }
        return "Authorization: OAuth\n"
            + field.dropFirst(6).split(separator: ",").map { "  " + JSONText.shortened(String($0.drop { $0 == " " })) }
            .joined(separator: "\n")
    }

    private static func body(_ bytes: [UInt8], type: String?) -> String {
        if let value = try? JSON.parse(bytes, maximumBytes: 1 << 20) { return JSONText.pretty(value) }
        let text = String(decoding: bytes, as: UTF8.self)
        if type?.hasPrefix("text/html") == true {
            // X labels its forms so.
            guard text.hasPrefix("<") || text.contains("\n") else {
                return FormParameters(text).map(parameters) ?? text
            }
            let title = text.split(separator: "<title>").dropFirst().first?.prefix { $0 != "<" }
            return "(a page: \(title.map(String.init) ?? "without a title"))"
        }
        return text.count > 2000 ? text.prefix(2000) + "…" : text
    }
}
