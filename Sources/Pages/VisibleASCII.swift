/// A value that travels through a page unread: a flow, an id, a host.
enum VisibleASCII {
    /// Leaves out all but U+0021 to U+007E.
    static func only(_ text: String) -> String {
        String(decoding: text.utf8.filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
    }
}
