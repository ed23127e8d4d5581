internal import CommandSupport
internal import Foundation
internal import Logging
internal import OpenSSL
internal import OperatingSystem
internal import Sealing
internal import Settings
internal import Stores

/// Loads the keys for state that clients carry, and those for pending data in the store.
///
/// For each purpose they are the keys of the configuration, or the key in a file beside the store, which is created at
/// the first start.
enum SealKeys {
    /// - Throws: Exit 78 for a key file that other users can read or write, or that does not contain 32 octets.
    static func seal(_ settings: Settings, logger: Logger) throws -> Seal {
        Seal(keys: try keys(settings.sealKeys, "seal_keys", beside: ".seal-key", settings, logger))
    }

    /// - Throws: Exit 78 for a key file that other users can read or write, or that does not contain 32 octets.
    static func storeSeal(_ settings: Settings, logger: Logger) throws -> StoreSeal {
        StoreSeal(keys: try keys(settings.storeKeys, "store_keys", beside: ".store-key", settings, logger))
    }

    /// Computes the fingerprints of the keys with which `serve` would start, and creates no key file.
    ///
    /// - Returns: The fingerprints. A list is empty if its key file does not exist yet.
    /// - Throws: Exit 78 for a key file that other users can read or write, or that does not contain 32 octets.
    static func fingerprints(_ settings: Settings, logger: Logger) throws -> KeyFingerprints {
        func exist(_ secrets: [SealKeySecret], beside fileExtension: String) -> Bool {
            guard secrets.isEmpty, case .sqlite(let path) = settings.store else { return true }
            return FileManager.default.fileExists(atPath: path + fileExtension)
        }
        return KeyFingerprints(
            sealKeys: exist(settings.sealKeys, beside: ".seal-key")
                ? try seal(settings, logger: logger).fingerprints() : [],
            storeKeys: exist(settings.storeKeys, beside: ".store-key")
                ? try storeSeal(settings, logger: logger).fingerprints() : [])
    }

    private static func keys<Use>(
        _ secrets: [SealKeySecret], _ name: String, beside fileExtension: String, _ settings: Settings, _ logger: Logger
    ) throws -> [SealingKey<Use>] {
        let configured = secrets.compactMap { SealingKey<Use>($0.secretBytes) }
        if !configured.isEmpty { return configured }
        guard case .sqlite(let path) = settings.store else {
            throw Exit.because(
                "\(name) is missing: with PostgreSQL write the same keys at every server", Exit.configuration)
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
            throw Exit.because(
                "the key file \(path) does not contain exactly 32 bytes: restore it from a backup", Exit.configuration)
        }
        return key
    }

    /// Creates a key file.
    ///
    /// If another process creates it at the same time, the first one wins and both read that file.
    private static func make(at path: String) throws {
        guard let octets = try? SecureRandom.bytes(32) else {
            throw Exit.because("the operating system supplies no random bytes", Exit.failure)
        }
        // Written completely under another name and then linked, which fails if the file exists.
        let draft = path + ".\(ProcessInfo.processInfo.processIdentifier)"
        guard
            FileManager.default.createFile(
                atPath: draft, contents: Data(octets), attributes: [.posixPermissions: 0o600])
        else {
            throw Exit.because(
                "the key file \(path) cannot be created: check that this user may write its folder", Exit.failure)
        }
        defer { try? FileManager.default.removeItem(atPath: draft) }
        try? FileManager.default.linkItem(atPath: draft, toPath: path)
    }
}

/// Reads key files, which the server created beside its store.
enum KeyFile {
    /// Reads the octets of a key file after a check of its mode and owner.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - settings: The configuration, which may allow insecure permissions.
    ///   - logger: Receives a warning if insecure permissions are allowed.
    /// - Returns: The octets.
    /// - Throws: Exit 78 if the file cannot be read, or if other users can read or write it.
    static func octets(at path: String, _ settings: Settings, logger: Logger) throws -> [UInt8] {
        let file: SettingsFile
        do {
            file = try SettingsFile.onDisk(path)
        } catch {
            throw Exit.because("the key \(path) \(error.message)", Exit.configuration)
        }
        if let objection = FileContent.secret.objection(to: file.exposure, at: path) {
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
