import NIOCore
import Testing
import token_exchange_lab

@Suite("Parsing of responses from the bytes of a connection")
struct LoadAnswerReaderTests {
    private static let plain =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\ncontent-length: 5\r\nX-A: 1\r\nX-A: 2\r\n\r\nhello"
    private static let chunked =
        "HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\na;x=y\r\n0123456789\r\n0\r\n\r\n"
    private static let empty = "HTTP/1.1 302 Found\r\nLocation: https://a.example/?b=c:d\r\nContent-Length: 0\r\n\r\n"

    /// Reads a text that arrives in pieces of `size` bytes.
    private static func read(_ text: String, by size: Int) throws -> [Answer] {
        var reader = AnswerReader()
        var answers: [Answer] = []
        var rest = ByteBuffer(string: text)
        while var piece = rest.readSlice(length: min(size, max(rest.readableBytes, 1))) {
            reader.append(&piece)
            while let answer = try reader.next() { answers.append(answer) }
        }
        return answers
    }

    @Test("Three responses in a row are read from pieces of any size", arguments: [1, 2, 7, 64, 4096])
    func pieces(size: Int) throws {
        let answers = try Self.read(Self.plain + Self.chunked + Self.empty, by: size)
        #expect(answers.map(\.status) == [200, 409, 302])
        #expect(answers.map { String(buffer: $0.body) } == ["hello", "abc0123456789", ""])
        #expect(answers.map(\.isLast) == [false, true, false])
    }

    @Test("A header field is found by its name, with all its values")
    func fields() throws {
        let answers = try Self.read(Self.plain + Self.empty, by: 4096)
        #expect(answers.first?.values(of: "x-a") == ["1", "2"])
        #expect(answers.last?.values(of: "location") == ["https://a.example/?b=c:d"])
        #expect(answers.last?.values(of: "x-a") == [])
    }

    @Test(
        "A text that is not a response is refused",
        arguments: [
            "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        ])
    func unreadable(text: String) {
        #expect(throws: LoadError.unreadableAnswer) { try Self.read(text, by: 4096) }
    }
}
