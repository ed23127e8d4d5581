internal import Glibc
internal import Stores

/// The place of the database: there, local, and closed to other users.
///
/// POSIX drops all locks of a process on a file as soon as it closes any descriptor of that file, those of SQLite with
/// them (sqlite.org/howtocorrupt.html §2.2). So a file that exists is never opened here. Nor is its mode changed.
struct DatabaseFile {
    let path: String
    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes folder (mode 0700; its own parent must exist) and file (mode 0600) where they are missing.
    ///
    /// The files that SQLite adds beside it get the mode of the database.
    func prepare(_ mounts: MountTable) throws(StoreError) {
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw .unavailable(.cannotOpen)
        }
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else { throw .unavailable(.cannotOpen) }
        guard !mounts.isNetwork(device: UInt64(status.st_dev)) else { throw .notLocal }
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw errno == ENOSPC ? .unavailable(.full) : .unavailable(.cannotOpen)
        }
    }

    /// Tells later whether what stands here now still does: the database, and the log beside it, which holds all that was
    /// not copied into it yet.
    ///
    /// What is written over a file's octets in place is not noticed.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` where one of the two is missing now.
    func watch() throws(StoreError) -> @Sendable () -> Bool {
        // The log stands beside what a symbolic link leads to.
        guard let resolved = unsafe realpath(path, nil) else { throw .unavailable(.cannotOpen) }
        defer { unsafe free(resolved) }
        let paths = [path, unsafe String(cString: resolved) + "-wal"]
        guard let found = Self.identity(of: paths) else { throw .unavailable(.cannotOpen) }
        return { Self.identity(of: paths) == found }
    }

    /// Device and inode of each; nil where one is missing.
    private static func identity(of paths: [String]) -> [UInt64]? {
        var identity: [UInt64] = []
        for path in paths {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            identity += [UInt64(status.st_dev), UInt64(status.st_ino)]
        }
        return identity
    }

    /// Runs `body` while no other process of ours opens a database in this folder.
    ///
    /// Two servers that start at once would otherwise both find the tables missing.
    func alone<Value>(within patience: Duration, _ body: () throws -> Value) throws -> Value {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.unavailable(.cannotOpen) }
        // flock(2): closing the last descriptor releases the lock.
        defer { close(descriptor) }
        let deadline = ContinuousClock.now + patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard ContinuousClock.now < deadline else { throw StoreError.unavailable(.busy) }
            usleep(5_000)
        }
        return try body()
    }
}
