package import OperatingSystem

/// The content of a file with its permissions: the configuration, or a file with a secret.
package struct SettingsFile: Sendable {
    package let bytes: [UInt8]
    package let exposure: FileExposure
    /// The parent folders that other users can write.
    package let openFolders: [String]

    package init(bytes: [UInt8], exposure: FileExposure = [], openFolders: [String] = []) {
        self.bytes = bytes
        self.exposure = exposure
        self.openFolders = openFolders
    }

    /// The text without the byte order mark with which some editors begin a file: it would become a part of a secret.
    ///
    /// - Throws: ``SettingsFileError/wide``, ``SettingsFileError/der`` or ``SettingsFileError/otherEncoding``.
    package func text() throws(SettingsFileError) -> String {
        if Self.isUTF16(bytes.prefix(4)) { throw .wide }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let text = String(validating: content, as: UTF8.self) else {
            // X.690 §8.1: a SEQUENCE whose length has two octets or more.
            let isSequence = bytes.count > 1 && bytes[0] == 0x30 && (0x81...0x84).contains(bytes[1])
            throw isSequence ? .der : .otherEncoding
        }
        return text
    }

    /// Whether the first four bytes of a file are those of UTF-16: a byte order mark, or two characters of ASCII, of which
    /// the same byte is zero.
    package static func isUTF16(_ bytes: some Collection<UInt8>) -> Bool {
        [[0xFF, 0xFE], [0xFE, 0xFF]].contains { bytes.starts(with: $0) }
            || [[true, false, true, false], [false, true, false, true]].contains(bytes.prefix(4).map { $0 == 0 })
    }

    static let maximumBytes = 1024 * 1024

    /// Reads a file of at most 1 MiB.
    ///
    /// Mode and owner are those of the file that was read, also if the path is a symbolic link.
    @Sendable package static func onDisk(_ path: String) throws(SettingsFileError) -> SettingsFile {
        let (bytes, exposure) = try content(path)
        guard bytes.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
        return SettingsFile(bytes: bytes, exposure: exposure, openFolders: OpenFolders.above(path))
    }

    private static func content(_ path: String) throws(SettingsFileError) -> ([UInt8], FileExposure) {
        do throws(OpenedFile.Failure) {
            let file = try OpenedFile(path)
            return (try file.read(atMost: maximumBytes + 1), file.exposure)
        } catch {
            guard let obstacle = FileObstacle(of: path) else { throw .unreadable }
            throw obstacle == .missing ? .missing : .obstacle(obstacle)
        }
    }
}

extension SettingsFile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "file of \(bytes.count) bytes" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a file could not be read.
package enum SettingsFileError: Error, Equatable, Sendable {
    case missing
    /// What stands at the path, or above it, prevents the process from reading the file.
    case obstacle(FileObstacle)
    /// Reading failed for another reason.
    case unreadable
    case tooLarge(maximumBytes: Int)
    /// The bytes are UTF-16.
    case wide
    /// The bytes have the form of DER, as binary files with keys and certificates have it.
    case der
    /// The bytes are not UTF-8.
    case otherEncoding

    package var message: String {
        switch self {
        case .missing: "does not exist"
        case .obstacle(let obstacle): obstacle.sentence()
        case .unreadable:
            "cannot be read, although its owner and mode allow it: look in the log of the kernel (dmesg) for an error of its disk, "
                + "or for a refusal by AppArmor or SELinux"
        case .tooLarge(let maximumBytes): "is larger than \(maximumBytes) bytes: name another file, or make it smaller"
        case .wide: "is UTF-16: save it as UTF-8"
        case .der:
            "is binary (DER or PKCS#12), and must be PEM: write it with openssl x509 -in FILE for a certificate, openssl pkey -in "
                + "FILE for a key, or openssl pkcs12 -nodes -in FILE for both (.pfx, .p12)"
        case .otherEncoding:
            "is not UTF-8: if it is a text, save it in that encoding; if it is binary, such as a random key, name a file with its "
                + "base64, or with the PEM of a certificate or key"
        }
    }
}
