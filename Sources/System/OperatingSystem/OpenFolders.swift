internal import Glibc

/// Folders in which another user could replace a file of this program by a different one.
package enum OpenFolders {
    /// Returns the folders above a file that other users may write or that belong to another user.
    ///
    /// The result contains the folders above the path as it is written, and the folders above the file to which its
    /// symbolic links lead, because a link can be replaced too. In a sticky folder such as `/tmp`, other users cannot
    /// replace a file, but they can create one that is missing. Such a folder is in the result only if it directly
    /// contains the file.
    ///
    /// - Returns: Absolute paths, each once.
    package static func above(_ path: String) -> [String] {
        guard let absolute = absolutePath(path) else { return [] }
        var found: [String] = []
        for file in [absolute, FilePaths.resolved(absolute)].compactMap(\.self) {
            let folders = parents(of: file)
            for folder in folders where isOpen(folder, countsSticky: folder == folders.first) && !found.contains(folder)
            {
                found.append(folder)
            }
        }
        return found
    }

    /// The warning for the operator about such a folder.
    ///
    /// - Parameter exposure: The exposure of the folder; `nil` if there is no such folder now.
    /// - Returns: What is wrong, and the command that corrects it.
    package static func warning(about folder: String, _ exposure: FileExposure?) -> String {
        // Their mode is right for their purpose, so that no command may change it.
        guard !["/tmp", "/var/tmp", "/dev/shm"].contains(folder) else {
            return "other users could make a file in the folder \(folder), where all may write: name another folder"
        }
        let objection = exposure.flatMap { FileContent.configuration.objection(to: $0, at: folder) }
        return "other users could replace a file in the folder \(folder), which "
            + (objection ?? "was open to them: check its owner and mode")
    }

    /// The warning about a folder as it is now.
    package static func warning(about folder: String) -> String {
        warning(about: folder, FileExposure(ofFileAt: folder))
    }

    private static func isOpen(_ folder: String, countsSticky: Bool) -> Bool {
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else { return false }
        let exposure = FileExposure(status)
        if exposure.contains(.foreign) { return true }
        return !exposure.isDisjoint(with: .writable) && (countsSticky || status.st_mode & S_ISVTX == 0)
    }

    /// The folders above a path, from the innermost to the root.
    private static func parents(of path: String) -> [String] {
        var names = path.split(separator: "/")
        var folders: [String] = []
        while !names.isEmpty {
            names.removeLast()
            folders.append("/" + names.joined(separator: "/"))
        }
        return folders
    }

    private static func absolutePath(_ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        return FilePaths.resolved(".").map { $0 + "/" + path }
    }
}
