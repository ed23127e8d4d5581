import Jansson
import Transport

/// A request that was sent, with everything that is needed to send it again.
struct RecordedRequest: Sendable {
    /// The methods that scenarios use.
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    let method: Method
    let url: String
    /// `Content-Type` and `Authorization`, and no other fields: never a cookie.
    var header: [HeaderField] = []
    var body: [UInt8] = []

    static func get(_ url: String) -> Self { Self(method: .get, url: url) }

    /// The URL without its query.
    var endpoint: String { String(url.prefix { $0 != "?" }) }

    /// The parameters of the query; `nil` if there is none, or if it is not form-encoded.
    var query: FormParameters? {
        guard url.count > endpoint.count else { return nil }
        return FormParameters(String(url.dropFirst(endpoint.count + 1)))
    }

    /// The parameters of the body; `nil` if it is not form-encoded.
    var form: FormParameters? {
        guard !body.isEmpty, self[field: "content-type"]?.hasPrefix(MediaType.form) == true else { return nil }
        return String(validating: body, as: UTF8.self).flatMap(FormParameters.init)
    }

    /// The parameters of an authorization response: of the query, or of the body if a page has posted them.
    var response: FormParameters? { method == .post ? form : query }

    subscript(field name: String) -> String? {
        header.first { $0.name.lowercased() == name }?.value
    }

    /// The request for the HTTP client of the product; `nil` for `DELETE`, which that client does not have.
    var outbound: OutboundRequest? {
        OutboundRequest.Method(rawValue: method.rawValue).map { OutboundRequest($0, url, header: header, body: body) }
    }
}

/// The media types that the home page sends and reads.
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

    /// Records a request that one of our listeners received.
    ///
    /// Returns `nil` if the method cannot be sent again, or if there is no `Host`.
    init?(_ request: IncomingRequest) {
        guard let method = Method(rawValue: request.method), let host = request.fields("host").first
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
