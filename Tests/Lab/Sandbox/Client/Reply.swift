import Jansson

/// A response of a stand-in, parsed from its bytes.
struct Reply: Sendable {
    let status: Int
    /// Header fields with names in lower case.
    let header: [(name: String, value: String)]
    let body: [UInt8]

    /// Returns `nil` unless the bytes begin with a complete HTTP/1.1 head.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        self.status = status
        header = lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map { colon in
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                return (line[..<colon].lowercased(), String(value))
            }
        }
        body = Array(text[end.upperBound...].utf8)
    }

    subscript(field name: String) -> String? { header.first { $0.name == name }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }

    var json: JSON? { try? JSON.parse(body) }

    /// The first error code of X's version 1.1.
    var xCode: Int64? { json?["errors"]?.array?.first?["code"]?.integer }

    /// The parameters of a form-encoded body.
    var parameters: [String: String] { Self.parameters(body: text) }

    /// The parameters of the query in `Location`.
    var locationParameters: [String: String] {
        let location = self[field: "location"] ?? ""
        guard let question = location.firstIndex(of: "?") else { return [:] }
        return Self.parameters(body: String(location[location.index(after: question)...]))
    }

    /// Parses parameters without decoding, which the values in these tests never need.
    private static func parameters(body: String) -> [String: String] {
        let pairs = body.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }
}
