internal import Glibc
internal import Stores

/// The file beside the database, with `.watch` behind its name, that tells whether the database is as it was left.
///
/// A database that was copied back from a backup lacks what was committed since, and nothing in it says so. When the
/// last process that had it open closes it, this file takes down which file it is and when that last changed
/// (`st_ctime`, which no copying program can set). A database that something else than this program wrote, made or put
/// back since then does not match, and neither does one whose server was killed.
///
/// A snapshot of a whole disk that was taken while the server was stopped, and put back later, matches. The record in
/// the database is then old, and what was issued since is refused; what was issued before the snapshot, and used after
/// it, is not. `SECURITY.md` says so.
///
/// The file is locked by each process that has the database open. It is no database file, so that closing its
/// descriptor drops no lock of SQLite's.
final class WatchFile: Sendable {
    private let descriptor: CInt
    private let database: String
    /// What this file told when it was opened.
    let continuity: WatchContinuity

    /// Looks at a database that this process has not opened yet.
    ///
    /// - Parameter database: its path; the file is there.
    /// - Throws: ``StoreError/unavailable(_:)`` if the file cannot be made or locked.
    init(beside database: String) throws(StoreError) {
        let descriptor = unsafe open(Self.path(beside: database), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unavailable(.cannotOpen) }
        self.descriptor = descriptor
        self.database = database
        let isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        let found = Self.text(in: descriptor)
        let marks = Self.marks(of: database)
        switch (isAlone, found) {
        case (true, marks?.left): continuity = Self.hasLog(database) ? .broken : .resumed
        // Another process has it open, and has recorded what it had not watched.
        case (false, marks?.open): continuity = .shared
        default: continuity = .broken
        }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { throw .unavailable(.busy) }
        if continuity != .broken { try markOpen() } else { try write("") }
    }

    deinit { close(descriptor) }

    static func path(beside database: String) -> String { database + ".watch" }

    /// Notes that the record in the database is true of what is in it.
    func markOpen() throws(StoreError) {
        guard let marks = Self.marks(of: database) else { throw .unavailable(.cannotOpen) }
        try write(marks.open)
    }

    /// Notes, after the database was closed, that it was left as it is, if no other process has it open.
    func markLeft() {
        defer { flock(descriptor, LOCK_UN) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
        guard let marks = Self.marks(of: database), Self.text(in: descriptor) == marks.open,
            !Self.hasLog(database)
        else { return }
        // Without it the next start refuses more than it has to.
        try? write(marks.left)
    }

    /// The texts for a database that is open, and for one that was left.
    private static func marks(of database: String) -> (open: String, left: String)? {
        var status = stat()
        guard unsafe stat(database, &status) == 0 else { return nil }
        let open = "open \(status.st_dev) \(status.st_ino)\n"
        return (open, "left \(status.st_dev) \(status.st_ino) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)\n")
    }

    /// Whether the log holds what is not in the database.
    private static func hasLog(_ database: String) -> Bool {
        guard let resolved = unsafe realpath(database, nil) else { return true }
        defer { unsafe free(resolved) }
        var status = stat()
        guard unsafe stat(String(cString: resolved) + "-wal", &status) == 0 else { return errno != ENOENT }
        return status.st_size > 0
    }

    private static func text(in descriptor: CInt) -> String {
        var octets = [UInt8](repeating: 0, count: 256)
        let count = unsafe octets.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        return String(decoding: octets.prefix(max(0, count)), as: UTF8.self)
    }

    private func write(_ text: String) throws(StoreError) {
        let octets = Array(text.utf8)
        guard ftruncate(descriptor, 0) == 0 else { throw .unavailable(.inputOutput) }
        let count = unsafe octets.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == octets.count else { throw .unavailable(.inputOutput) }
    }
}
