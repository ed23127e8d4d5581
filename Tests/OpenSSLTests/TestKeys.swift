import Foundation

/// The files of `Tests/Fixtures/keys`.
enum TestKeys {
    static func pem(_ name: String, file: String = #filePath) throws -> String {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: folder.appending(path: "Fixtures/keys/\(name).pem"), encoding: .utf8)
    }
}
