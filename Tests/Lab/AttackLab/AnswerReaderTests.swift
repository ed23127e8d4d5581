import Testing

@testable import AttackLab

@Suite("Parsing of responses as they arrive (RFC 9112)")
struct AnswerReaderTests {
    private func read(_ pieces: String..., method: String = "POST", ended: Bool = false) -> Answer? {
        var reader = AnswerReader()
        for piece in pieces {
            reader.append(Array(piece.utf8))
            if let answer = reader.next(of: method, ended: false, after: .zero) { return answer }
        }
        return reader.next(of: method, ended: ended, after: .zero)
    }

    @Test("A body with a length is returned when it is complete")
    func length() {
        #expect(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", "cd") == nil)
        #expect(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", "cde")?.text == "abcde")
    }

    @Test("A chunked body is joined")
    func chunked() {
        let answer = read(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "2;x=y\r\nde\r\n0\r\n\r\n")
        #expect(answer?.text == "abcde")
    }

    @Test("Without a length the end of the connection ends the body")
    func untilClosed() {
        #expect(read("HTTP/1.1 200 OK\r\n\r\nabc") == nil)
        #expect(read("HTTP/1.1 200 OK\r\n\r\nabc", ended: true)?.text == "abc")
    }

    @Test("A response to HEAD has no body, even if it declares a length")
    func head() {
        #expect(read("HTTP/1.1 405 No\r\nContent-Length: 5\r\n\r\n", method: "HEAD")?.status == 405)
    }

    @Test("Interim responses are skipped")
    func interim() {
        #expect(read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 Done\r\n\r\n")?.status == 204)
    }

    @Test("Two responses on one connection are returned one after the other")
    func pipelined() {
        var reader = AnswerReader()
        reader.append(
            Array("HTTP/1.1 200 A\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 400 B\r\nContent-Length: 0\r\n\r\n".utf8))
        #expect(reader.next(of: "POST", ended: false, after: .zero)?.status == 200)
        #expect(reader.next(of: "POST", ended: false, after: .zero)?.status == 400)
    }

    @Test("All fields of a name are found, in any case")
    func fields() {
        let answer = read("HTTP/1.1 204 A\r\nSet-Cookie: a=1\r\nset-cookie:  b=2 \r\n\r\n")
        #expect(answer?.allFields("Set-Cookie") == ["a=1", "b=2"])
    }

    @Test("A text without a status line is not a response")
    func garbage() {
        #expect(read("hello\r\n\r\n", ended: true) == nil)
    }
}
