import Foundation

/// A file as it was read: the configuration, or one that holds a secret.
package struct SettingsFile: Sendable {
    package let bytes: [UInt8]
    /// The mode lets group or others read it.
    package let isReadableByOthers: Bool

    package init(bytes: [UInt8], isReadableByOthers: Bool) {
        self.bytes = bytes
        self.isReadableByOthers = isReadableByOthers
    }

    /// `nil` unless the bytes are UTF-8.
    var text: String? { String(validating: bytes, as: UTF8.self) }

    static let maximumBytes = 1024 * 1024

    /// Reads a file of at most 1 MiB.
    ///
    /// The mode is that of the file itself where the path is a symbolic link.
    @Sendable package static func onDisk(_ path: String) throws(SettingsFileError) -> SettingsFile {
        guard FileManager.default.fileExists(atPath: path) else { throw .missing }
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let handle = FileHandle(forReadingAtPath: resolved),
            let attributes = try? FileManager.default.attributesOfItem(atPath: resolved),
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue,
            let content = try? handle.read(upToCount: maximumBytes + 1) ?? Data()
        else { throw .unreadable }
        guard content.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
        return SettingsFile(bytes: Array(content), isReadableByOthers: mode & 0o044 != 0)
    }
}

extension SettingsFile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "file of \(bytes.count) bytes" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
