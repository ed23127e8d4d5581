internal import Foundation
internal import Glibc

/// The lock of SQLite's only writer (sqlite.org/walformat.html §2.3), which another process keeps.
final class WriteLock: Sendable {
    private let descriptor: Int32

    /// - `database`: the path of a database in WAL mode that is open somewhere.
    init(database: String) throws {
        descriptor = unsafe open(database + "-shm", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Inconclusive("The store's shared memory cannot be opened.") }
        // WAL_WRITE_LOCK is the byte at 120.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 120
        lock.l_len = 1
        for _ in 0..<200 {
            if unsafe fcntl(descriptor, F_SETLK, &lock) == 0 { return }
            usleep(5_000)
        }
        close(descriptor)
        throw Inconclusive("The store's lock could not be had.")
    }

    /// Closing the file lets go of it.
    func release() { close(descriptor) }
}
