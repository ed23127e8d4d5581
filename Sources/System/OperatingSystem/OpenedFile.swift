internal import Glibc

/// A file that was opened for reading.
///
/// Mode and owner are read from the descriptor, since a path could lead to another file between two calls.
package struct OpenedFile: ~Copyable {
    package enum Failure: Error, Equatable, Sendable {
        case missing
        /// The file is not a regular file, or this user may not read it.
        case unreadable
    }

    private let descriptor: Int32
    package let exposure: FileExposure

    /// Opens the file behind a path; symbolic links are followed.
    package init(_ path: String) throws(Failure) {
        // Without O_NONBLOCK a named pipe would block the start of the server until another process opens it.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .unreadable
        }
        self.descriptor = descriptor
        exposure = FileExposure(status)
    }

    deinit { close(descriptor) }

    /// Reads the content of the file.
    ///
    /// - Returns: The whole content, or its first `limit` bytes.
    package func read(atMost limit: Int) throws(Failure) -> [UInt8] {
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 65_536))
        while content.count < limit {
            let wanted = min(chunk.count, limit - content.count)
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, wanted) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable }
            guard count > 0 else { break }
            content += chunk.prefix(count)
        }
        return content
    }
}
