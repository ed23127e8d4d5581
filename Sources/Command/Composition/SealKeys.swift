internal import Foundation
internal import Logging
internal import OpenSSL
internal import OperatingSystem
internal import Settings
internal import Standards
internal import Stores

/// Loads the keys for state that clients carry, and those for data in the store.
///
/// For each purpose they are the keys of the configuration, or the key in a file beside the store. The files are made
/// together with a new store and never for an existing one, whose data a new key does not open.
enum SealKeys {
    /// - Throws: Exit 78 for a key file that is missing, that other users can read or write, or that does not contain 32
    ///   octets.
    static func seal(_ settings: Settings, logger: Logger) throws -> Seal {
        Seal(keys: try keys(settings.sealKeys, .sealKeys, settings, logger))
    }

    /// - Throws: Exit 78 for a key file that is missing, that other users can read or write, or that does not contain 32
    ///   octets.
    static func storeSeal(_ settings: Settings, logger: Logger) throws -> StoreSeal {
        StoreSeal(keys: try keys(settings.storeKeys, .storeKeys, settings, logger))
    }

    /// Computes the fingerprints of the keys with which `serve` would start.
    ///
    /// - Returns: The fingerprints. A list is empty if its key file will be made together with the store.
    /// - Throws: Exit 78 for a key file that is missing beside an existing store, that other users can read or write, or
    ///   that does not contain 32 octets.
    static func fingerprints(_ settings: Settings, logger: Logger) throws -> KeyFingerprints {
        let future = StorePresence.isMissing(settings) ? missingFiles(settings).map(\.list) : []
        return KeyFingerprints(
            sealKeys: future.contains(.sealKeys) ? [] : try seal(settings, logger: logger).fingerprints(),
            storeKeys: future.contains(.storeKeys) ? [] : try storeSeal(settings, logger: logger).fingerprints())
    }

    /// Returns whether the key files of a running server still contain the keys that it uses.
    ///
    /// - Parameters:
    ///   - keys: The keys that are in force.
    ///   - settings: The configuration that is in force.
    /// - Returns: `true` also if the configuration contains all keys.
    static func areInFiles(_ keys: KeyFingerprints, _ settings: Settings) -> Bool {
        guard !files(settings).isEmpty else { return true }
        // An exposed file that the operator allowed was reported when it was read first.
        let logger = Logger(label: "keys") { _ in SwiftLogNoOpLogHandler() }
        return (try? fingerprints(settings, logger: logger)) == keys
    }

    /// The files in which the keys of a configuration are, because it does not contain them.
    static func files(_ settings: Settings) -> [(list: MissingKey.List, path: String)] {
        guard case .sqlite(let path) = settings.store else { return [] }
        return (settings.sealKeys.isEmpty ? [(.sealKeys, path + MissingKey.List.sealKeys.fileExtension)] : [])
            + (settings.storeKeys.isEmpty ? [(.storeKeys, path + MissingKey.List.storeKeys.fileExtension)] : [])
    }

    private static func missingFiles(_ settings: Settings) -> [(list: MissingKey.List, path: String)] {
        files(settings).filter { !FileManager.default.fileExists(atPath: $0.path) }
    }

    /// Makes the key files that a new store needs, and returns when they are on the disk.
    ///
    /// An existing file is kept. The caller has to prevent that two processes make them at the same time.
    ///
    /// - Throws: `StoreError` if a file cannot be made.
    static func makeFiles(_ settings: Settings) throws {
        for file in missingFiles(settings) { try make(at: file.path) }
    }

    /// Refuses a store whose key files are missing.
    ///
    /// - Throws: Exit 78.
    static func requireFiles(_ settings: Settings) throws {
        for file in missingFiles(settings) { throw lost(file.list, at: file.path) }
    }

    /// - Parameter problem: What is wrong with the key file, which is the subject.
    private static func lost(
        _ list: MissingKey.List, at path: String, _ problem: String = "is missing"
    ) -> ExitReason {
        let loss =
            switch list {
            case .sealKeys: "Sign-ins in progress then fail, and the users begin again"
            case .storeKeys:
                "All second factors are then lost: their users need a recovery code, or token-exchange accounts factors "
                    + "to remove them, and sign-ins in progress fail"
            }
        return Exit.because(
            "the database exists, but its key file \(path) \(problem): correct the path in store, if it is the database of another "
                + "program; otherwise restore the file from your copy of the keys. If there is none, write a new key as "
                + "\(list.rawValue): [env:NAME] in the configuration, or as 32 random bytes in this file, with the mode 600 and as the "
                + "user of the server. \(loss)", Exit.configuration)
    }

    private static func keys<Use>(
        _ secrets: [SealKeySecret], _ list: MissingKey.List, _ settings: Settings, _ logger: Logger
    ) throws -> [SealingKey<Use>] {
        let configured = secrets.compactMap { SealingKey<Use>($0.secretBytes) }
        if !configured.isEmpty { return configured }
        guard case .sqlite(let path) = settings.store else {
            throw Exit.because(
                "\(list.rawValue) is missing: with this store write the same keys at every server", Exit.configuration)
        }
        let file = path + list.fileExtension
        guard FileManager.default.fileExists(atPath: file) else { throw lost(list, at: file) }
        let octets = try KeyFile.octets(at: file, settings, logger: logger)
        guard let key = SealingKey<Use>(octets) else {
            throw lost(
                list, at: file,
                "has \(octets.count) bytes, and must have exactly 32, not their text in another encoding")
        }
        return [key]
    }

    private static func make(at path: String) throws {
        guard let octets = try? SecureRandom.bytes(32) else {
            throw Exit.because("the operating system supplies no random bytes", Exit.failure)
        }
        // No other process makes this file, so that a draft can only be one of a process that was killed.
        try? FileManager.default.removeItem(atPath: DraftFile.path(for: path))
        do {
            let draft = try DraftFile(for: path)
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: draft.path))
            try file.write(contentsOf: Data(octets))
            try file.close()
            try draft.finish()
        } catch {
            let isFull =
                error as? DraftFileError == .system(ENOSPC)
                || (error as? CocoaError)?.code == .fileWriteOutOfSpace
            // The database would fail for the same reason, in the same folder.
            throw StoreError.unavailable(isFull ? .full : .cannotOpen)
        }
    }
}

extension MissingKey.List {
    /// The end of the name of the file beside the database that contains the key, if the configuration does not.
    var fileExtension: String {
        switch self {
        case .sealKeys: ".seal-key"
        case .storeKeys: ".store-key"
        }
    }
}

/// Reads key files, which the server created beside its store.
enum KeyFile {
    /// Reads the octets of a key file after a check of its mode and owner.
    ///
    /// - Parameters:
    ///   - settings: The configuration, which may allow insecure permissions.
    ///   - logger: Receives a warning if insecure permissions are allowed.
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
