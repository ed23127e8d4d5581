import Transport

/// A request as it was sent, complete enough to be sent again.
struct RecordedRequest: Sendable {
    let method: OutboundRequest.Method
    let url: String
    /// `Content-Type` and `Authorization` alone: never a cookie.
    var header: [HeaderField] = []
    var body: [UInt8] = []

    static func get(_ url: String) -> Self { Self(method: .get, url: url) }

    /// What precedes the query.
    var endpoint: String { String(url.prefix { $0 != "?" }) }

    /// Nil where there is no query, or it is not form-encoded.
    var query: FormParameters? {
        guard url.count > endpoint.count else { return nil }
        return FormParameters(String(url.dropFirst(endpoint.count + 1)))
    }

    /// Nil where the body is not a form.
    var form: FormParameters? {
        guard !body.isEmpty, self[field: "content-type"]?.hasPrefix(MediaType.form) == true else { return nil }
        return String(validating: body, as: UTF8.self).flatMap(FormParameters.init)
    }

    subscript(field name: String) -> String? {
        header.first { $0.name.lowercased() == name }?.value
    }

    var outbound: OutboundRequest { OutboundRequest(method, url, header: header, body: body) }
}

/// Media types that are sent and read here.
enum MediaType {
    static let form = "application/x-www-form-urlencoded"
    static let json = "application/json"
}
