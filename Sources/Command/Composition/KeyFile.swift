internal import CommandSupport
internal import Logging
internal import OperatingSystem
internal import Settings

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
