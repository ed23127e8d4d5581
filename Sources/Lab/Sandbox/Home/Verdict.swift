import Jansson
import Transport

/// Whether an answer refuses, and why, wherever in it that stands.
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

    /// What stands in elements of that name which hold no other element, unescaped as ``Page/escape(_:)`` escapes.
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
