package import NIOCore

/// One HTTP response of the measured server.
package struct Answer: Sendable {
    package let status: Int
    /// Status line and header fields, up to the empty line.
    package let head: ByteBuffer
    package let body: ByteBuffer
    /// The server ends the connection after this response.
    package let isLast: Bool

    package init(status: Int, head: ByteBuffer, body: ByteBuffer, isLast: Bool) {
        self.status = status
        self.head = head
        self.body = body
        self.isLast = isLast
    }

    /// The values of a header field, in their order; its name is given in lower case.
    package func values(of name: String) -> [String] {
        String(buffer: head).split(separator: "\r\n").dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { return nil }
            return String(line[line.index(after: colon)...].drop { $0 == " " })
        }
    }
}
