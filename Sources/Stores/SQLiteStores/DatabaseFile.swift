internal import Glibc
package import OperatingSystem
internal import Stores

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

/// The place of the database: there, local, and closed to other users.
///
/// POSIX drops all locks of a process on a file as soon as it closes any descriptor of that file, those of SQLite with
/// them (sqlite.org/howtocorrupt.html §2.2). So a file that exists is never opened here: stat(2) judges it before
/// SQLite opens it, and again afterwards. Its mode is not changed.
struct DatabaseFile {
    let path: String
    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes folder (mode 0700; its own parent must exist) and file (mode 0600) if they are missing, and judges both.
    ///
    /// The files that SQLite adds beside it get the mode of the database (`findCreateFileMode` in os_unix.c).
    ///
    /// - Returns: what an operator has to know.
    func prepare(_ rules: DatabaseRules) throws(StoreError) -> [String] {
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw .unavailable(.cannotOpen)
        }
        // Before anything is made there, and once more for a file that a symbolic link or a mount puts elsewhere.
        try Self.requireLocal(folder, rules)
        let warnings = try judge(rules)
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw errno == ENOSPC ? .unavailable(.full) : .unavailable(.cannotOpen)
        }
        try Self.requireLocal(path, rules)
        return warnings + OpenFolders.above(path).map(OpenFolders.warning)
    }

    /// Judges mode and owner of the database and of the files that SQLite keeps beside it.
    ///
    /// The log holds accounts as the database does, and what is written into either is read as our own. What another
    /// user writes into ``WatchFile`` would make a restored database pass for the one that was left. It is called
    /// before SQLite opens them and afterwards, since a descriptor of ours may not be opened on them.
    ///
    /// - Returns: what is wrong, if that is allowed.
    /// - Throws: ``StoreError/exposed(path:objection:)``.
    func judge(_ rules: DatabaseRules) throws(StoreError) -> [String] {
        let resolved = Self.resolved(path) ?? path
        var warnings: [String] = []
        for file in ["", "-wal", "-shm", "-journal"].map({ resolved + $0 }) + [WatchFile.path(beside: path)] {
            guard let exposure = FileExposure(ofFileAt: file),
                let objection = FileContent.secret.objection(to: exposure)
            else { continue }
            guard rules.allowsInsecurePermissions else { throw .exposed(path: file, objection: objection) }
            warnings.append("the file \(file) \(objection)")
        }
        return warnings
    }

    private static func requireLocal(_ path: String, _ rules: DatabaseRules) throws(StoreError) {
        guard let fileSystem = rules.fileSystem(path) else { throw .unavailable(.cannotOpen) }
        guard fileSystem.isLocal || rules.allowsNetworkFilesystem else {
            throw .notLocal(fileSystem: fileSystem.description)
        }
    }

    /// - Returns: nil for a path that leads nowhere.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Tells later whether what stands here now still does: the database, and the log beside it, which holds all that
    /// was not copied into it yet.
    ///
    /// What is written over a file's octets in place is not noticed.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` where one of the two is missing now.
    func watch() throws(StoreError) -> @Sendable () -> Bool {
        // The log stands beside what a symbolic link leads to.
        guard let resolved = Self.resolved(path) else { throw .unavailable(.cannotOpen) }
        let paths = [path, resolved + "-wal"]
        guard let found = Self.identity(of: paths) else { throw .unavailable(.cannotOpen) }
        return { Self.identity(of: paths) == found }
    }

    /// Device and inode of the database; nil if it is missing.
    var identity: [UInt64]? { Self.identity(of: [path]) }

    /// Device and inode of each; nil if one is missing.
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
