import Curl
import Jansson
import Transport

extension Street {
    func post(
        _ path: String, _ body: JSON, header: [HeaderField] = []
    ) async throws -> OutboundResponse {
        try await post(path, text: body.text, header: header)
    }

    func post(
        _ path: String, text: String, type: String? = "application/json", header: [HeaderField] = []
    ) async throws -> OutboundResponse {
        // The transport names a type of its own where none is given, so that one is always given.
        try await curl.transport.send(
            OutboundRequest(
                .post, "http://127.0.0.1:\(publicPort)\(path)",
                header: [HeaderField("Content-Type", type ?? "")] + header, body: Array(text.utf8),
                timeout: .seconds(60)))
    }

    func get(_ path: String, header: [HeaderField] = [], admin: Bool = false) async throws -> OutboundResponse {
        try await curl.transport.send(
            OutboundRequest(
                .get, "http://127.0.0.1:\(admin ? adminPort : publicPort)\(path)", header: header,
                timeout: .seconds(60)))
    }

    func exchange(_ body: JSON) async throws -> OutboundResponse {
        try await post("/v1/exchange", body)
    }

    /// One request as it is written here; the server's first answer to it, or nil where it just hung up.
    func raw(_ request: String, admin: Bool = false) async throws -> OutboundResponse? {
        try await Wire.connect(to: admin ? adminPort : publicPort) { wire in
            try await wire.send(request)
            return try await wire.answer(toHEAD: request.hasPrefix("HEAD "))
        }
    }

    /// The text of a request that is right in every way, but for what a test puts in its place.
    static func request(
        _ line: String = "POST /v1/nonce HTTP/1.1", header: [String] = ["Content-Type: application/json"],
        body: String = Bodies.nonce.text
    ) -> String {
        let length = line.hasPrefix("GET") && body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        return ([line, "Host: 127.0.0.1"] + length + header).joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}

extension OutboundResponse {
    var json: JSON? { try? JSON.parse(body) }
    var reason: String? { json?["reason"]?.string }
    var text: String { String(decoding: body, as: UTF8.self) }
}
