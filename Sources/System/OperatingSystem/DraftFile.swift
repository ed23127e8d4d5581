internal import Glibc

/// Why a ``DraftFile`` cannot be made or finished.
package enum DraftFileError: Error, Equatable, Sendable {
    /// The target exists.
    case exists
    /// A system call failed with this `errno`.
    case system(Int32)
}

/// A file that gets its name only when it is complete.
///
/// Only its owner can read it. It is removed if it is not finished.
package struct DraftFile: ~Copyable {
    private let target: String
    private let replaces: Bool
    /// The path of the incomplete file, in the folder of the target.
    package let path: String

    /// Makes an empty file.
    ///
    /// - Parameters:
    ///   - target: The path that the file will get.
    ///   - replaces: Whether it may replace another file.
    package init(for target: String, replacing replaces: Bool = false) throws(DraftFileError) {
        guard unsafe replaces || access(target, F_OK) != 0 else { throw .exists }
        let draft = Self.path(for: target)
        let descriptor = unsafe open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(errno) }
        close(descriptor)
        (self.target, self.replaces) = (target, replaces)
        path = draft
    }

    /// The path of the draft that this process makes of a file.
    ///
    /// A process of the same number that was killed may have left one, as number 1 of a container does.
    package static func path(for target: String) -> String { "\(target).\(getpid())" }

    deinit {
        // SQLite adds the others.
        for suffix in ["", "-journal", "-wal", "-shm"] { unsafe unlink(path + suffix) }
    }

    /// Writes the file and its name to the disk.
    ///
    /// - Throws: ``DraftFileError/exists`` if the target was made meanwhile; ``DraftFileError/system(_:)``.
    package consuming func finish() throws(DraftFileError) {
        try Self.synchronize(path)
        // link(2) fails if the target exists; rename(2) replaces it.
        guard unsafe (replaces ? rename(path, target) : link(path, target)) == 0 else {
            throw errno == EEXIST ? .exists : .system(errno)
        }
        try Self.synchronize(target.lastIndex(of: "/").map { String(target[...$0]) } ?? ".")
    }

    private static func synchronize(_ path: String) throws(DraftFileError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(errno) }
    }
}
