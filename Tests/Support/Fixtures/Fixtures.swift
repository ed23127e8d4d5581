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
        try String(contentsOf: folder.appending(path: "keys/\(name).pem"), encoding: .utf8)
    }
}
