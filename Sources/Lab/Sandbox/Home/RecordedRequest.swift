import Jansson
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

extension RecordedRequest {
    static func json(_ url: String, _ body: JSON) -> Self {
        Self(
            method: .post, url: url, header: [HeaderField("Content-Type", MediaType.json)], body: body.serialized())
    }

    static func form(_ url: String, _ pairs: [(String, String)]) -> Self {
        Self(
            method: .post, url: url, header: [HeaderField("Content-Type", MediaType.form)],
            body: Array(FormParameters(pairs).encoded.utf8))
    }

    /// As a listener here received it; nil for a method that is never sent again, and without one plain `Host`.
    init?(_ request: IncomingRequest) {
        guard let method = OutboundRequest.Method(rawValue: request.method), let host = request.fields("host").first
        else { return nil }
        let query = request.query.isEmpty ? "" : "?" + request.query
        self.init(
            method: method, url: "http://" + host + request.path + query,
            header: ["content-type", "authorization"].flatMap { name in
                request.fields(name).prefix(1).map { HeaderField(name, $0) }
            },
            body: request.body)
    }
}
