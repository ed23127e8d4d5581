import Jansson
import Transport

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
