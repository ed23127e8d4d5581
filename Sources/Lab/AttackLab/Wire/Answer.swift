package import Jansson

/// An HTTP response as it was received.
package struct Answer: Sendable {
    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]
    package let duration: Duration

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON; `nil` if it is not JSON.
    package var json: JSON? { try? JSON.parse(body, maximumBytes: 4 << 20) }

    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    package func allFields(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Returns a string member of the JSON object in the body.
    package subscript(member: String) -> String? { json?[member]?.string }

    /// Returns the value of an input of the page's form.
    func input(_ name: String) -> String? {
        let page = text
        guard let start = page.firstRange(of: "name=\"\(name)\" value=\"")?.upperBound else { return nil }
        return String(page[start...].prefix { $0 != "\"" })
    }

    /// Returns a parameter in the query of the redirect.
    package func redirected(_ name: String) -> String? {
        field("location").flatMap { PercentEncoding.parameter(name, of: String($0.prefix { $0 != "#" })) }
    }
}

/// The outcome of a request.
package enum Reply: Sendable {
    case answer(Answer)
    /// The connection ended without a response.
    case closed
    case timedOut

    package var answer: Answer? {
        guard case .answer(let answer) = self else { return nil }
        return answer
    }
}

/// Assembles responses from the received octets (RFC 9112 §4, §6).
struct AnswerReader {
    private var bytes: [UInt8] = []

    mutating func append(_ more: [UInt8]) { bytes += more }

    /// Returns the next response; `nil` if it is not complete yet.
    ///
    /// It removes the octets of the response, so that a second response on the connection can follow.
    ///
    /// If `ended` is true, the peer has closed the connection, which ends a body without a declared length.
    mutating func next(of method: String, ended: Bool, after duration: Duration) -> Answer? {
        while let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
            let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).components("\r\n")
            guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
                return nil
            }
            let fields = lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return (name: String(parts[0]), value: parts.count == 2 ? parts[1].trimmed : "")
            }
            if (100..<200).contains(status), status != 101 {
                bytes.removeSubrange(..<head.upperBound)
                continue
            }
            guard let (body, end) = body(from: head.upperBound, of: method, status, fields, ended: ended) else {
                return nil
            }
            bytes.removeSubrange(..<end)
            return Answer(status: status, fields: fields, body: body, duration: duration)
        }
        return nil
    }

    private func body(
        from start: Int, of method: String, _ status: Int, _ fields: [(name: String, value: String)], ended: Bool
    ) -> (body: [UInt8], end: Int)? {
        func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
        // RFC 9112 §6.3: a response to HEAD, a 204 and a 304 have no body.
        if method == "HEAD" || status == 204 || status == 304 { return ([], start) }
        if field("transfer-encoding")?.lowercased().contains("chunked") == true { return chunks(from: start) }
        if let length = field("content-length").flatMap({ Int($0) }) {
            guard bytes.count >= start + length else { return ended ? (Array(bytes[start...]), bytes.count) : nil }
            return (Array(bytes[start..<(start + length)]), start + length)
        }
        return ended ? (Array(bytes[start...]), bytes.count) : nil
    }

    private func chunks(from start: Int) -> (body: [UInt8], end: Int)? {
        var body: [UInt8] = []
        var position = start
        while let line = bytes[position...].firstRange(of: Array("\r\n".utf8)) {
            let digits = String(
                decoding: bytes[position..<line.lowerBound].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let count = Int(digits, radix: 16), bytes.count >= line.upperBound + count + 2 else { return nil }
            body += bytes[line.upperBound..<(line.upperBound + count)]
            position = line.upperBound + count + 2
            if count == 0 { return (body, position) }
        }
        return nil
    }
}

extension StringProtocol {
    var trimmed: String {
        var text = Substring(self)
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}

extension String {
    /// Returns the parts between separators, including empty ones.
    func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
