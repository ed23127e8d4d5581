internal import Jansson

/// A request as it is sent, byte for byte.
package struct Request: Sendable {
    var method: String
    /// Path and query, sent unchanged.
    var target: String
    /// The header fields in order; missing `Host`, `Content-Length` and `Connection` are added.
    var fields: [(name: String, value: String)]
    var body: [UInt8]
    /// The octets that are sent instead of all of the above.
    var raw: [UInt8]?
    /// Whether `Content-Length` is added; false for a request that is cut short or not HTTP.
    var measuresBody = true

    init(_ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    static func get(_ target: String) -> Request { Request("GET", target) }

    static func json(_ target: String, _ body: JSON, bearer: String? = nil) -> Request {
        json(target, text: body.serialized(), bearer: bearer)
    }

    /// Returns a request with this body, which need not be JSON.
    static func json(_ target: String, text: [UInt8], bearer: String? = nil) -> Request {
        var request = Request("POST", target, fields: [("Content-Type", "application/json")], body: text)
        if let bearer { request.fields.append(("Authorization", "Bearer " + bearer)) }
        return request
    }

    static func json(_ target: String, text: String) -> Request { json(target, text: Array(text.utf8)) }

    static func form(_ target: String, _ parameters: [(String, String)], bearer: String? = nil) -> Request {
        var request = Request(
            "POST", target, fields: [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(PercentEncoding.form(parameters).utf8))
        if let bearer { request.fields.append(("Authorization", "Bearer " + bearer)) }
        return request
    }

    func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Returns the request with another header field.
    func with(_ name: String, _ value: String) -> Request {
        var request = self
        request.fields.append((name, value))
        return request
    }

    func bytes(host: String) -> [UInt8] {
        if let raw { return raw }
        var lines = ["\(method) \(target) HTTP/1.1"]
        if field("host") == nil { lines.append("Host: \(host)") }
        lines += fields.map { "\($0.name): \($0.value)" }
        if measuresBody, field("content-length") == nil, field("transfer-encoding") == nil,
            !body.isEmpty || method == "POST"
        {
            lines.append("Content-Length: \(body.count)")
        }
        if field("connection") == nil { lines.append("Connection: close") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}
