import Foundation

/// A folder of one test, removed at its end.
final class TemporaryFolder: Sendable {
    let path: String
    var database: String { path + "/store.db" }

    init() throws {
        // The store checks the modes of these files as a server does. A umask belongs to the process, but all tests
        // need this one.
        umask(0o077)
        path = NSTemporaryDirectory() + "token-exchange-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The permission bits of a file in the folder.
    func mode(of name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
