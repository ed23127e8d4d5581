internal import Glibc
internal import Stores

/// The file beside the database, with the suffix `.watch`, that shows whether the database was changed or replaced since
/// it was closed.
///
/// A database that was restored from a backup lacks later commits, and nothing in it shows this. When the last process
/// closes the database, this file records its device, inode and time of last change (`st_ctime`, which no copying
/// program can set). A database that another program wrote, made or restored since then does not match, and neither
/// does one whose server was killed.
///
/// A snapshot of a whole disk that was taken while the server was stopped, and restored later, matches. The database
/// then contains an old time of the last watch, so credentials that were issued after the snapshot are refused. A
/// credential that was issued before the snapshot and used after it is accepted again (see `SECURITY.md`).
///
/// Each process that has the database open locks this file. SQLite does not use it, so closing its descriptor releases
/// no lock of SQLite.
final class WatchFile: Sendable {
    private let descriptor: CInt
    private let database: String
    /// The conclusion from this file at the time it was opened.
    let continuity: WatchContinuity

    /// Reads the file of a database that this process has not opened yet.
    ///
    /// - Parameter database: The path of the database, which must exist.
    /// - Throws: ``StoreError/unavailable(_:cause:)`` if the file cannot be made or locked.
    init(beside database: String) throws(StoreError) {
        let path = Self.path(beside: database)
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw .unavailable(.cannotOpen, cause: "the file \(path) cannot be opened: \(reason)")
        }
        self.descriptor = descriptor
        self.database = database
        let isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        let found = Self.text(in: descriptor)
        let marks = Self.marks(of: database)
        switch (isAlone, found) {
        case (true, marks?.left): continuity = Self.hasLog(database) ? .broken : .resumed
        // Another process has the database open and has already recorded the unwatched period.
        case (false, marks?.open): continuity = .shared
        default: continuity = .broken
        }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { throw .unavailable(.busy) }
        if continuity != .broken { try markOpen() } else { try write("") }
    }

    deinit { close(descriptor) }

    static func path(beside database: String) -> String { database + ".watch" }

    /// Marks the database as open, with a correct record of watched times.
    func markOpen() throws(StoreError) {
        guard let marks = Self.marks(of: database) else { throw .unavailable(.cannotOpen) }
        try write(marks.open)
    }

    /// Marks the database as closed in its current state, if no other process has it open.
    func markLeft() {
        defer { flock(descriptor, LOCK_UN) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
        guard let marks = Self.marks(of: database), Self.text(in: descriptor) == marks.open,
            !Self.hasLog(database)
        else { return }
        // Without the mark the next start refuses more credentials than necessary.
        try? write(marks.left)
    }

    /// The content of this file for a database that is open, and for one that was closed.
    private static func marks(of database: String) -> (open: String, left: String)? {
        var status = stat()
        guard unsafe stat(database, &status) == 0 else { return nil }
        let open = "open \(status.st_dev) \(status.st_ino)\n"
        return (open, "left \(status.st_dev) \(status.st_ino) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)\n")
    }

    /// Whether the log contains commits that are not in the database.
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
