internal import Glibc

/// Operations on the paths of files.
package enum FilePaths {
    /// Returns the folder of a file; `.` for a name without a slash.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Resolves symbolic links in a path.
    ///
    /// - Returns: The absolute path; `nil` if the path does not exist.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
