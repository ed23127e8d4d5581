import Jansson

/// One request as it reached the attacker's server, values included.
struct HostileRequest: Sendable {
    private let number: Int64
    private let request: IncomingRequest

    private static let maximumBytes = 4 << 10

    /// Keeps no more than the first 4 KiB of each value.
    init(_ request: IncomingRequest, number: Int64) {
        self.number = number
        self.request = IncomingRequest(
            method: Self.cut(request.method), path: Self.cut(request.path), query: Self.cut(request.query),
            header: request.header.map { ($0.name, Self.cut($0.value)) },
            body: Array(request.body.prefix(Self.maximumBytes)))
    }

    /// Fields that came more than once are one, as RFC 9110 §5.3 joins them.
    var json: JSON {
        let header = Dictionary(request.header.map { ($0.name, $0.value) }) { $0 + ", " + $1 }
        // Who reads the report could not parse U+0000.
        let body = String(decoding: request.body, as: UTF8.self).replacing("\0", with: "\u{FFFD}")
        return .object([
            "seq": .integer(number), "method": .string(request.method), "path": .string(request.path),
            "query": .string(request.query), "header": .object(header.mapValues { .string($0) }),
            "body": .string(body),
        ])
    }

    private static func cut(_ text: String) -> String {
        String(decoding: text.utf8.prefix(maximumBytes), as: UTF8.self)
    }
}
