import Foundation

/// A folder of one test, removed with it.
final class TemporaryFolder: Sendable {
    let path: String
    var database: String { path + "/store.db" }

    init() throws {
        // What tests put into it is judged as a server's own files are. A mask is the process's, but all tests want
        // this one.
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
