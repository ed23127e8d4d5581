package import NIOCore

/// One HTTP response of the measured server.
package struct Answer: Sendable {
    package let status: Int
    /// Status line and header fields, up to the empty line.
    package let head: ByteBuffer
    package let body: ByteBuffer
    /// Whether the server closes the connection after this response.
    package let isLast: Bool

    /// The values of a header field in their order.
    ///
    /// `name` is in lower case.
    package func values(of name: String) -> [String] {
        String(buffer: head).split(separator: "\r\n").dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { return nil }
            return String(line[line.index(after: colon)...].drop { $0 == " " })
        }
    }
}

/// Splits the bytes of a connection into responses.
///
/// A complete HTTP parser would need more processor time than the rest of the load generator, and the measured server
/// shares the processor. This one supports `Content-Length`, chunks and `Connection: close`, which is all that the
/// measured servers send.
package struct AnswerReader: Sendable {
    private var buffer = ByteBuffer()

    package init() {}

    package mutating func append(_ bytes: inout ByteBuffer) {
        if buffer.readableBytes == 0 { buffer = bytes } else { buffer.writeBuffer(&bytes) }
    }

    /// - Returns: `nil` if the next response is not complete yet.
    /// - Throws: ``LoadError/unreadableAnswer``.
    package mutating func next() throws(LoadError) -> Answer? {
        let view = buffer.readableBytesView
        guard let end = Self.endOfHead(view) else { return nil }
        let framing = try Framing(view[..<end])
        var rest = view[end...]
        var body = ByteBuffer()
        switch framing.length {
        case .bytes(let count):
            guard rest.count >= count else { return nil }
            body = ByteBuffer(rest.prefix(count))
            rest = rest.dropFirst(count)
        case .chunks:
            while true {
                guard let line = rest.firstIndex(of: 10) else { return nil }
                guard let size = Self.hexadecimal(rest[..<line]) else { throw .unreadableAnswer }
                let chunk = rest[(line + 1)...]
                guard chunk.count >= size + 2 else { return nil }
                body.writeBytes(chunk.prefix(size))
                rest = chunk.dropFirst(size + 2)
                if size == 0 { break }
            }
        }
        let head = ByteBuffer(view[..<end])
        buffer.moveReaderIndex(to: rest.startIndex)
        if buffer.readableBytes == 0 { buffer.clear() }
        return Answer(status: framing.status, head: head, body: body, isLast: framing.isLast)
    }

    private static func endOfHead(_ view: ByteBufferView) -> Int? {
        var index = view.startIndex
        while let line = view[index...].firstIndex(of: 10) {
            if line - index <= 1, line > view.startIndex { return line + 1 }
            index = line + 1
        }
        return nil
    }

    private static func hexadecimal(_ line: ByteBufferView) -> Int? {
        Int(String(decoding: line.prefix { $0 != 13 && $0 != UInt8(ascii: ";") }, as: UTF8.self), radix: 16)
    }
}

/// The status of a response and the length of its body, from its head.
private struct Framing {
    enum Length {
        case bytes(Int)
        case chunks
    }

    let status: Int
    var length = Length.bytes(0)
    var isLast = false

    init(_ head: ByteBufferView) throws(LoadError) {
        var lines = head.split(separator: 10).makeIterator()
        // HTTP/1.1 200 OK
        guard let first = lines.next(), let status = Int(String(decoding: first.dropFirst(9).prefix(3), as: UTF8.self))
        else { throw .unreadableAnswer }
        self.status = status
        while let line = lines.next() {
            // The names of the fields that matter begin with c or t.
            guard let initial = line.first, initial | 0x20 == 0x63 || initial | 0x20 == 0x74 else { continue }
            let parts = String(decoding: line, as: UTF8.self).lowercased().split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let value = parts[1].filter { !$0.isWhitespace }
            switch parts[0] {
            case "content-length":
                guard let count = Int(value), count >= 0 else { throw .unreadableAnswer }
                length = .bytes(count)
            case "transfer-encoding": length = .chunks
            case "connection": isLast = value == "close"
            default: break
            }
        }
    }
}
