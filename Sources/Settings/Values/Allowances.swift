extension Settings {
    /// Risks that an operator accepts by naming them on the command line.
    ///
    /// They are no keys of the file, so that a copied configuration does not carry them along.
    package struct Allowances: Sendable, Equatable {
        /// Files that other users can read or write are a warning instead of a problem.
        package let insecurePermissions: Bool
        /// The SQLite file may lie on any file system.
        package let networkFilesystem: Bool

        package static let none = Self()
        package static let insecurePermissionsFlag = "--allow-insecure-permissions"
        package static let networkFilesystemFlag = "--allow-network-filesystem"

        package init(insecurePermissions: Bool = false, networkFilesystem: Bool = false) {
            self.insecurePermissions = insecurePermissions
            self.networkFilesystem = networkFilesystem
        }
    }
}
