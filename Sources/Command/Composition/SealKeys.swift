internal import Foundation
internal import Logging
internal import OpenSSL
internal import Sealing
internal import Settings

/// The keys that seal sessions and nonces.
enum SealKeys {
    /// Those of the configuration, or the one in a file beside the store, which is made there at first.
    ///
    /// - Throws: Exit 78 for a key file that other users can read or write, or that does not hold 32 octets.
    static func seal(_ settings: Settings, logger: Logger) throws -> Seal {
        let configured = settings.sealKeys.compactMap { SealKey($0.secretBytes) }
        if !configured.isEmpty { return Seal(keys: configured) }
        guard case .sqlite(let path) = settings.store else {
            throw Exit.because("seal_keys is missing: several servers have to share one", Exit.configuration)
        }
        return Seal(keys: [try kept(at: path + ".seal-key", settings, logger)])
    }

    private static func kept(
        at path: String, _ settings: Settings, _ logger: Logger
    ) throws -> SealKey {
        if !FileManager.default.fileExists(atPath: path) {
            try make(at: path)
        }
        guard let key = SealKey(try KeyFile.octets(at: path, settings, logger: logger)) else {
            throw Exit.because("the key \(path) does not hold exactly 32 bytes", Exit.configuration)
        }
        return key
    }

    /// Another process may make it at the same time: whoever is first wins, and both read the same file.
    private static func make(at path: String) throws {
        guard let octets = try? SecureRandom.bytes(32) else {
            throw Exit.because("the operating system gives no randomness", Exit.failure)
        }
        // Written whole under another name and then linked, which fails where the name is taken.
        let draft = path + ".\(ProcessInfo.processInfo.processIdentifier)"
        guard
            FileManager.default.createFile(
                atPath: draft, contents: Data(octets), attributes: [.posixPermissions: 0o600])
        else { throw Exit.because("the seal key \(path) cannot be made", Exit.failure) }
        defer { try? FileManager.default.removeItem(atPath: draft) }
        try? FileManager.default.linkItem(atPath: draft, toPath: path)
    }
}
