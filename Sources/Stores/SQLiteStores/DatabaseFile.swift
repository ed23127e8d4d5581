internal import Glibc
package import OperatingSystem
internal import Stores

/// The requirements on the files of a database before it is opened.
package struct DatabaseRules: Sendable {
    /// Whether files that other users can read or write cause a warning instead of an error.
    package let allowsInsecurePermissions: Bool
    /// Whether the database may be on a file system that is not known to be local.
    package let allowsNetworkFilesystem: Bool
    let fileSystem: @Sendable (_ path: String) -> FileSystem?

    /// The defaults are strict.
    ///
    /// `fileSystem` returns the file system of a path.
    package init(
        allowsInsecurePermissions: Bool = false, allowsNetworkFilesystem: Bool = false,
        fileSystem: @escaping @Sendable (_ path: String) -> FileSystem? = FileSystem.of
    ) {
        self.allowsInsecurePermissions = allowsInsecurePermissions
        self.allowsNetworkFilesystem = allowsNetworkFilesystem
        self.fileSystem = fileSystem
    }
}

/// The file of the database, which must be on a local file system and inaccessible to other users.
///
/// POSIX releases all locks of a process on a file when it closes any descriptor of that file, including those of
/// SQLite (sqlite.org/howtocorrupt.html §2.2). Therefore this type never opens an existing file: it calls stat(2)
/// before SQLite opens the file, and again afterwards. The mode of an existing file is not changed.
struct DatabaseFile {
    let path: String
    private var folder: String { FilePaths.folder(of: path) }

    /// Makes the file (mode 0600) if it is missing, and checks it and its folder.
    ///
    /// A missing folder is not made: a misspelled path would otherwise lead to a new store without accounts.
    ///
    /// The files that SQLite adds beside it get the mode of the database (`findCreateFileMode` in os_unix.c).
    ///
    /// - Returns: Warnings for the operator.
    func prepare(_ rules: DatabaseRules) throws(StoreError) -> [String] {
        // Check before making anything. The check is repeated below, since a symbolic link or a mount may lead
        // elsewhere.
        try check(rules)
        let warnings = try judge(rules)
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw [ENOSPC, EDQUOT].contains(errno) ? .unavailable(.full) : obstacle() ?? .unavailable(.cannotOpen)
        }
        try requireLocal(path, rules)
        return warnings + OpenFolders.above(path).map { OpenFolders.warning(about: $0) }
    }

    /// Checks the file system of the folder, and what stands at the path.
    func check(_ rules: DatabaseRules) throws(StoreError) {
        try requireLocal(folder, rules)
        if let obstacle = obstacle() { throw obstacle }
    }

    /// Checks the first octets of a file that is not empty.
    ///
    /// This opens the file, so that the database must not be open in this process. A file that cannot be read is left to
    /// SQLite.
    ///
    /// - Throws: ``StoreError/unavailable(_:cause:)`` for another file than a database.
    func checkHeader() throws(StoreError) {
        let header: [UInt8]
        do throws(OpenedFile.Failure) {
            header = try OpenedFile(path).read(atMost: Self.header.count)
        } catch {
            return
        }
        guard header.isEmpty || header == Self.header else { throw .unavailable(.notADatabase) }
    }

    /// The beginning of each database (sqlite.org/fileformat.html §1.3.1).
    private static let header = Array("SQLite format 3\0".utf8)

    /// What stands at the path, above it or beside it, if it prevents SQLite from opening the database.
    ///
    /// A shell of sqlite3 that another user has run leaves files of that user beside it.
    func obstacle() -> StoreError? {
        let found = FileObstacle(of: path, for: .writing)
        if let obstacle = found == nil || found == .missing ? FileObstacle(makingFilesIn: folder) : found {
            return Self.error(obstacle, at: path)
        }
        for file in logs {
            if let obstacle = FileObstacle(of: file, for: .writing), obstacle != .missing {
                return Self.error(obstacle, at: file)
            }
        }
        return nil
    }

    /// The files that SQLite keeps beside the database.
    private var logs: [String] {
        let resolved = FilePaths.resolved(path) ?? path
        return ["-wal", "-shm", "-journal"].map { resolved + $0 }
    }

    private static func error(_ obstacle: FileObstacle, at path: String) -> StoreError {
        let fault: StoreFault =
            switch obstacle {
            case .missing, .missingFolder: .folderMissing
            case .notAFolder, .danglingLink, .folder, .special: .notAFile
            case .denied: .cannotOpen
            case .readOnlyFileSystem: .readOnly
            }
        return .unavailable(fault, cause: "the file \(path) \(obstacle.sentence())")
    }

    /// Checks mode and owner of the database and of the files that SQLite keeps beside it.
    ///
    /// The log contains accounts as the database does, and the store trusts the content of both. Another user who
    /// writes ``WatchFile`` could make a restored database look current. Call this before and after SQLite opens the
    /// files, since this type must not open them itself.
    ///
    /// - Returns: The problems, if the rules allow them.
    /// - Throws: ``StoreError/exposed(path:objection:)``.
    func judge(_ rules: DatabaseRules) throws(StoreError) -> [String] {
        var warnings: [String] = []
        for file in [FilePaths.resolved(path) ?? path] + logs + [WatchFile.path(beside: path)] {
            guard let exposure = FileExposure(ofFileAt: file),
                let objection = FileContent.secret.objection(to: exposure, at: file)
            else { continue }
            guard rules.allowsInsecurePermissions else { throw .exposed(path: file, objection: objection) }
            warnings.append("the file \(file) \(objection)")
        }
        return warnings
    }

    private func requireLocal(_ path: String, _ rules: DatabaseRules) throws(StoreError) {
        guard let fileSystem = rules.fileSystem(path) else { throw obstacle() ?? .unavailable(.cannotOpen) }
        guard fileSystem.isLocal || rules.allowsNetworkFilesystem else {
            throw .notLocal(fileSystem: fileSystem.description)
        }
    }

    /// Returns a function that returns whether the database and its log are still the same files as now.
    ///
    /// The log contains all commits that were not copied into the database yet. The function does not detect a change of
    /// the content.
    ///
    /// - Throws: ``StoreError/unavailable(_:cause:)`` if one of the two is missing now.
    func watch() throws(StoreError) -> @Sendable () -> Bool {
        // SQLite keeps the log beside the target of a symbolic link.
        guard let resolved = FilePaths.resolved(path) else { throw obstacle() ?? .unavailable(.cannotOpen) }
        let paths = [path, resolved + "-wal"]
        guard let found = Self.identity(of: paths) else { throw .unavailable(.cannotOpen) }
        return { Self.identity(of: paths) == found }
    }

    /// Device and inode of the database; `nil` if it is missing.
    var identity: [UInt64]? { Self.identity(of: [path]) }

    /// Device and inode of each path; `nil` if one is missing.
    private static func identity(of paths: [String]) -> [UInt64]? {
        var identity: [UInt64] = []
        for path in paths {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            identity += [UInt64(status.st_dev), UInt64(status.st_ino)]
        }
        return identity
    }

    /// Runs `body` while no other process of this program opens a database in this folder.
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
