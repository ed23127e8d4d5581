package import OperatingSystem

/// What is demanded of the files of a database before it is opened.
package struct DatabaseRules: Sendable {
    /// Files that other users can read or write are named in a warning instead of being refused.
    package let allowsInsecurePermissions: Bool
    /// The database may lie on a file system that is not known to be local.
    package let allowsNetworkFilesystem: Bool
    let fileSystem: @Sendable (_ path: String) -> FileSystem?

    /// The defaults are strict; `fileSystem` tells on which one a path lies.
    package init(
        allowsInsecurePermissions: Bool = false, allowsNetworkFilesystem: Bool = false,
        fileSystem: @escaping @Sendable (_ path: String) -> FileSystem? = FileSystem.of
    ) {
        self.allowsInsecurePermissions = allowsInsecurePermissions
        self.allowsNetworkFilesystem = allowsNetworkFilesystem
        self.fileSystem = fileSystem
    }
}
