/// A peer's whole answer.
///
/// Its description names the status alone: header fields and body may hold tokens.
package struct OutboundResponse: Sendable, Equatable {
    package let status: Int
    package let header: [HeaderField]
    package let body: [UInt8]

    package init(status: Int, header: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.header = header
        self.body = body
    }

    /// The value of the first field of that name, in whatever case it is written (RFC 9110 §5.1).
    package subscript(field name: String) -> String? {
        let wanted = name.lowercased()
        return header.first { $0.name.lowercased() == wanted }?.value
    }
}

extension OutboundResponse: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "status \(status)" }
    package var debugDescription: String { description }
}
