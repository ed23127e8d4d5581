internal import Transport

/// Which header fields may be sent: such as stay one line, and leave the framing of the message to libcurl.
enum FieldRule {
    static func check(_ header: [HeaderField]) throws(TransportError) {
        for field in header {
            guard isToken(field.name), !reserved.contains(field.name.lowercased()), isOneLine(field.value) else {
                throw .refusedURL
            }
        }
    }

    /// Fields that say where a message ends, whom it is for, or how it is packed.
    private static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te",
        "trailer", "transfer-encoding", "upgrade",
    ]

    /// RFC 9110 §5.6.2.
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// RFC 9110 §5.5, without the bytes above ASCII that it calls obsolete.
    private static func isOneLine(_ value: String) -> Bool {
        value.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
            && value.first != " " && value.last != " " && value.first != "\t" && value.last != "\t"
    }
}
