import Jansson

/// The response of a stand-in to one request.
struct Answer: Sendable {
    var status: Int
    var header: [(name: String, value: String)]
    var body: [UInt8]
    /// The URL of a redirect whose parameters a form brings instead.
    var callback: String?

    init(_ status: Int, header: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.header = header
        self.body = body
    }

    static func json(_ value: JSON, status: Int = 200, header: [(name: String, value: String)] = []) -> Self {
        Self(
            status, header: [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + header,
            body: value.serialized())
    }

    /// A JSON response without `Cache-Control`.
    static func document(_ value: JSON) -> Self {
        Self(200, header: [("Content-Type", "application/json")], body: value.serialized())
    }

    static func text(_ text: String, status: Int) -> Self {
        Self(status, header: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }

    /// Form-encoded parameters with the media type of HTML, as X's OAuth 1.0a endpoints send them.
    static func parametersAsHTML(_ parameters: FormParameters) -> Self {
        Self(
            200, header: [("Content-Type", "text/html;charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array(parameters.encoded.utf8))
    }

    /// A redirect (302) to `uri` with `parameters` added to its query.
    static func redirect(to uri: String, adding parameters: FormParameters) -> Self {
        let separator = uri.contains("?") ? "&" : "?"
        return Self(
            302,
            header: [
                ("Location", uri + separator + parameters.encoded), ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"),
            ])
    }

    /// Sets header fields, replacing those with the same names.
    mutating func set(_ fields: [String: String]) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            header.removeAll { $0.name.lowercased() == name.lowercased() }
            header.append((name, value))
        }
    }

    var location: String? { header.first { $0.name == "Location" }?.value ?? callback }

    var isJSON: Bool {
        header.contains { $0.name == "Content-Type" && $0.value.hasPrefix("application/json") }
    }
}

/// The response that ends the processing of a request early.
struct Refusal: Error {
    let answer: Answer

    init(_ answer: Answer) {
        self.answer = answer
    }

    /// An error of OAuth 2.0 (RFC 6749 §5.2).
    init(_ status: Int, _ error: String, _ description: String) {
        self.init(
            .json(.object(["error": .string(error), "error_description": .string(description)]), status: status))
    }
}

/// A response and the way in which its bytes are sent.
struct Delivery: Sendable {
    enum Manner: Sendable, Equatable {
        case whole
        /// The connection ends after this number of body bytes, although the full length was declared.
        case cut(afterBytes: Int)
        /// One byte of the body at a time.
        case dripping(everyMilliseconds: Int64)
        /// The connection ends before the first byte.
        case dropped
    }

    let answer: Answer
    let manner: Manner

    init(_ answer: Answer, _ manner: Manner = .whole) {
        self.answer = answer
        self.manner = manner
    }
}

extension Answer {
    /// The answer to a browser that looks for an icon, which reports 404 as an error.
    static let noIcon = Self(204)

    /// A redirect with 303 (RFC 9110 §15.4.4), after a POST or instead of a page.
    static func seeOther(_ location: String) -> Self {
        Self(
            303,
            header: [("Location", location), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")])
    }
}
