package import Foundation

/// The files that tests read.
package enum Fixtures {
    /// The folder of `Package.swift`.
    package static let repository = folder.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// The text of `keys/<name>.pem`.
    ///
    /// The README in that folder describes each key.
    package static func pem(_ name: String) throws -> String {
        try String(contentsOf: URL(filePath: path(name)), encoding: .utf8)
    }

    /// The path of `keys/<name>.pem`.
    package static func path(_ name: String) -> String {
        folder.appending(path: "keys/\(name).pem").path(percentEncoded: false)
    }
}
