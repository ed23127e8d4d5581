import Jansson
import Transport

/// The contents of a message as plain text for people: one parameter or member per line, with long values shortened.
enum MessageText {
    /// Query, `Authorization` and body of a request; empty if it has none of them.
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

    /// `Location` and body of a response; empty if it has neither.
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

    /// The complete body of a response, without shortened texts.
    static func whole(_ response: OutboundResponse) -> String {
        guard let value = try? JSON.parse(response.body, maximumBytes: 1 << 20) else {
            return String(decoding: response.body, as: UTF8.self)
        }
        return JSONText.pretty(value, shortening: false)
    }

    private static func parameters(_ parameters: FormParameters) -> String {
        parameters.pairs.map { "\($0.name) = \(JSONText.shortened($0.value))" }.joined(separator: "\n")
    }

    /// Shows that a request carries client credentials, but not their values, since they would distract the reader.
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
            // X sends form-encoded answers as text/html.
            guard text.hasPrefix("<") || text.contains("\n") else {
                return FormParameters(text).map(parameters) ?? text
            }
            let title = text.split(separator: "<title>").dropFirst().first?.prefix { $0 != "<" }
            return "(a page: \(title.map(String.init) ?? "without a title"))"
        }
        return text.count > 2000 ? text.prefix(2000) + "…" : text
    }
}

/// Writes JSON for people: one member per line, sorted by name, with long strings shortened.
enum JSONText {
    static func pretty(_ value: JSON, shortening: Bool = true) -> String {
        text(value, indentation: "", shortening)
    }

    /// Keeps both ends of a long text, because similar tokens differ there.
    static func shortened(_ text: String) -> String {
        let limit = text.hasPrefix("http") ? 400 : 64
        guard text.count > limit else { return text }
        return "\(text.prefix(32))…\(text.suffix(8)) (\(text.count) characters)"
    }

    private static func text(_ value: JSON, indentation: String, _ shortening: Bool) -> String {
        let inner = indentation + "  "
        switch value {
        case .object(let members) where !members.isEmpty:
            let lines = members.sorted { $0.key < $1.key }.map { name, member in
                inner + quoted(name) + ": " + text(member, indentation: inner, shortening)
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + indentation + "}"
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { inner + text($0, indentation: inner, shortening) }
            return "[\n" + lines.joined(separator: ",\n") + "\n" + indentation + "]"
        case .string(let string):
            return quoted(shortening ? shortened(string) : string)
        case .object: return "{}"
        case .array: return "[]"
        case .integer(let number): return String(number)
        case .real(let number): return String(number)
        case .bool(let truth): return String(truth)
        case .null: return "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }
}

/// Tells whether an answer is a refusal, and finds its reason.
struct Verdict: Sendable, Equatable {
    let status: Int
    var error: String?
    var reason: String?
    var description: String?

    /// Reads JSON, the query of a redirect (RFC 6749 §4.1.2.1), or a page that names a reason between `<code>` tags.
    init(_ response: OutboundResponse) {
        status = response.status
        if let body = try? JSON.parse(response.body, maximumBytes: 1 << 20) {
            error = body["error"]?.string
            reason = body["reason"]?.string
            description = body["error_description"]?.string ?? body["errors"]?.array?.first?["message"]?.string
        } else if let location = response[field: "location"] {
            let query = RecordedRequest.get(location).query
            error = query?["error"]
            reason = query?["reason"] ?? error
            description = query?["error_description"]
        } else if status >= 400 {
            let text = String(decoding: response.body, as: UTF8.self)
            if response[field: "content-type"]?.hasPrefix("text/html") == true {
                reason = Self.elements("code", in: text).first { Defence.sentence(for: $0) != nil }
                description = Self.elements("p", in: text).first ?? Self.elements("h1", in: text).first
            } else {
                description = text.isEmpty ? nil : String(text.prefix(300))
            }
        }
    }

    var isRefusal: Bool { status >= 400 || (300..<400).contains(status) && error != nil }

    /// The texts of all elements of this name that contain no other element.
    ///
    /// It undoes ``Page/escape(_:)``.
    private static func elements(_ name: String, in html: String) -> [String] {
        html.split(separator: "<\(name)").dropFirst().compactMap { rest -> String? in
            guard let open = rest.firstIndex(of: ">") else { return nil }
            let text = rest[rest.index(after: open)...].prefix { $0 != "<" }
            guard !text.isEmpty else { return nil }
            return String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
                .replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&amp;", with: "&")
        }
    }
}
