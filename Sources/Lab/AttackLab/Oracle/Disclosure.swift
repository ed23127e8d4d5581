/// Content that no response may have, for any client.
enum Disclosure {
    /// A sign of the inside in the text; nil for none.
    static func sign(in text: String) -> String? {
        signs.first { text.contains($0) }
    }

    private static let signs = [
        "Fatal error", ".swift:", "Sources/", "/Users/", "/home/", "SELECT ", "INSERT INTO", "SQLITE_", "SQLite error",
        "PRAGMA", "stack trace", "Stack dump", "NIOCore.", "Swift.", "BEGIN PRIVATE KEY", "BEGIN RSA PRIVATE KEY",
        "client_secret\":\"", "error:0", "std::",
    ]
}
