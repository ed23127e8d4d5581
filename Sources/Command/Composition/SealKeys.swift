internal import CommandSupport
internal import Foundation
internal import Logging
internal import OpenSSL
internal import OperatingSystem
internal import Sealing
internal import Settings

/// The keys that seal what travels, and those that seal what waits in the store.
///
/// Each use has those of the configuration, or the one in a file beside the store, which is made there at first.
enum SealKeys {
    /// - Throws: Exit 78 for a key file that other users can read or write, or that does not hold 32 octets.
    static func seal(_ settings: Settings, logger: Logger) throws -> Seal {
        Seal(keys: try keys(settings.sealKeys, "seal_keys", beside: ".seal-key", settings, logger))
    }

    /// - Throws: Exit 78 for a key file that other users can read or write, or that does not hold 32 octets.
    static func storeSeal(_ settings: Settings, logger: Logger) throws -> StoreSeal {
        StoreSeal(keys: try keys(settings.storeKeys, "store_keys", beside: ".store-key", settings, logger))
    }

    private static func keys<Use>(
        _ secrets: [SealKeySecret], _ name: String, beside fileExtension: String, _ settings: Settings, _ logger: Logger
    ) throws -> [SealingKey<Use>] {
        let configured = secrets.compactMap { SealingKey<Use>($0.secretBytes) }
        if !configured.isEmpty { return configured }
        guard case .sqlite(let path) = settings.store else {
            throw Exit.because("\(name) is missing: several servers have to share one", Exit.configuration)
        }
        return [try kept(at: path + fileExtension, settings, logger)]
    }

    private static func kept<Use>(
        at path: String, _ settings: Settings, _ logger: Logger
    ) throws -> SealingKey<Use> {
        if !FileManager.default.fileExists(atPath: path) {
            try make(at: path)
        }
        guard let key = SealingKey<Use>(try KeyFile.octets(at: path, settings, logger: logger)) else {
            throw Exit.because("the key \(path) does not hold exactly 32 bytes", Exit.configuration)
        }
        return key
    }

    /// Another process may make it at the same time: the first one wins, and both read the same file.
    private static func make(at path: String) throws {
        guard let octets = try? SecureRandom.bytes(32) else {
            throw Exit.because("the operating system gives no randomness", Exit.failure)
        }
        // Written whole under another name and then linked, which fails where the name is taken.
        let draft = path + ".\(ProcessInfo.processInfo.processIdentifier)"
        guard
            FileManager.default.createFile(
                atPath: draft, contents: Data(octets), attributes: [.posixPermissions: 0o600])
        else { throw Exit.because("the key \(path) cannot be made", Exit.failure) }
        defer { try? FileManager.default.removeItem(atPath: draft) }
        try? FileManager.default.linkItem(atPath: draft, toPath: path)
    }
}

/// A file with the octets of a key, which the server made beside its store.
enum KeyFile {
    /// Reads the file and judges its mode and its owner.
    ///
    /// - Throws: Exit 78 for one that cannot be read, or that other users can read or write.
    static func octets(at path: String, _ settings: Settings, logger: Logger) throws -> [UInt8] {
        let file: SettingsFile
        do {
            file = try SettingsFile.onDisk(path)
        } catch {
            throw Exit.because("the key \(path) \(error.message)", Exit.configuration)
        }
        if let objection = FileContent.secret.objection(to: file.exposure) {
            let fact = "the key \(path) \(objection)"
            guard settings.allowances.insecurePermissions else {
                throw Exit.because(
                    "\(fact), or start with \(Settings.Allowances.insecurePermissionsFlag)", Exit.configuration)
            }
            logger.warning("key file", metadata: ["problem": "\(fact)"])
        }
        return file.bytes
    }
}
