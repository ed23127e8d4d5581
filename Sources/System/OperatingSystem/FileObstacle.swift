internal import Glibc

/// Why this process cannot open a file, as stat(2) and access(2) show it.
package enum FileObstacle: Sendable, Equatable {
    package enum Access: Sendable, Equatable {
        case reading
        /// Reading and writing.
        case writing
    }

    case missing
    /// The innermost folder of the path that does not exist.
    case missingFolder(String)
    /// A part of the path that is a file and should be a folder.
    case notAFolder(String)
    case danglingLink(target: String)
    /// A folder stands at the path.
    case folder
    /// Something else than a file or a folder stands at the path, such as a named pipe.
    case special(String)
    /// The mode or the owner of the file, or of a folder above it, does not allow the access to this user.
    case denied(String, Access, owner: String, mode: UInt32)
    case readOnlyFileSystem

    /// Looks for what prevents the access; `nil` if nothing is found.
    ///
    /// Nothing is opened. Symbolic links are followed.
    package init?(of path: String, for access: Access = .reading) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            self = Self.absence(of: path)
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR:
            self = .folder
            return
        case S_IFIFO:
            self = .special("a named pipe")
            return
        case S_IFSOCK:
            self = .special("a socket")
            return
        default:
            self = .special("a device")
            return
        }
        self.init(accessing: path, access)
    }

    /// Looks for what prevents this process from making files in a folder; `nil` if nothing is found.
    package init?(makingFilesIn folder: String) {
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else {
            let obstacle = Self.absence(of: folder)
            self = obstacle == .missing ? .missingFolder(folder) : obstacle
            return
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            self = .notAFolder(folder)
            return
        }
        self.init(accessing: folder, .writing)
    }

    /// Looks for what prevents another user from reading a file, by the modes of the file and of the folders above it.
    ///
    /// - Parameters:
    ///   - path: The path of a file that this process can read.
    ///   - user: The name of the user. `nil` is returned for a user that does not exist.
    package init?(reading path: String, as user: String) {
        guard let account = UserAccount(named: user) else { return nil }
        var status = stat()
        for folder in Self.folders(above: path) + [path] {
            guard unsafe stat(folder, &status) == 0 else { return nil }
            guard account.may(folder == path ? 4 : 1, status) else {
                self = .denied(folder, .reading)
                return
            }
        }
        return nil
    }

    private init?(accessing path: String, _ access: Access) {
        guard unsafe faccessat(AT_FDCWD, path, access == .reading ? R_OK : R_OK | W_OK, AT_EACCESS) != 0 else {
            return nil
        }
        self = errno == EROFS ? .readOnlyFileSystem : .denied(path, access)
    }

    private static func absence(of path: String) -> Self {
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = unsafe readlink(path, &target, Int(PATH_MAX))
            let text = String(decoding: target.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            return .danglingLink(target: text)
        }
        // From the root to the file, the first folder that is in the way.
        for folder in folders(above: path) {
            guard unsafe stat(folder, &status) == 0 else {
                return errno == EACCES ? .denied(FilePaths.folder(of: folder), .reading) : .missingFolder(folder)
            }
            guard status.st_mode & S_IFMT == S_IFDIR else { return .notAFolder(folder) }
            if unsafe faccessat(AT_FDCWD, folder, X_OK, AT_EACCESS) != 0 { return .denied(folder, .reading) }
        }
        return .missing
    }

    private static func denied(_ path: String, _ access: Access) -> Self {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return .missing }
        return .denied(path, access, owner: ProcessUser.name(of: status.st_uid), mode: status.st_mode & 0o7777)
    }

    private static func folders(above path: String) -> [String] {
        path.indices.filter { path[$0] == "/" && $0 != path.startIndex }.map { String(path[..<$0]) }
    }
}

extension FileObstacle {
    /// The obstacle in words whose subject, the file, is left out, with what the operator can do.
    ///
    /// - Parameter user: The name of a user for whom the access was judged; `nil` for the user of this process, which
    ///   could be run by another one.
    /// - Returns: A part of a sentence, without a full stop.
    package func sentence(for user: String? = nil) -> String {
        switch self {
        case .missing: "does not exist"
        case .missingFolder(let folder): "does not exist, and neither does the folder \(folder)"
        case .notAFolder(let path): "does not exist: \(path) is not a folder"
        case .danglingLink(let target): "is a symbolic link to \(target), which does not exist"
        case .folder:
            "is a folder: write the path of a file, or correct the source of the mount, for which a container engine makes a folder "
                + "if it is missing"
        case .special(let kind): "is \(kind): write the path of a file"
        // systemd shows these folders so to a unit with ProtectHome or InaccessiblePaths, whatever they are for other processes.
        case .denied(let path, _, "root", 0):
            "cannot be opened by the user \(user ?? ProcessUser.name): this process sees \(path) with the owner root and the mode "
                + "0000, as behind ProtectHome of a systemd unit: move the file to another folder"
        case .denied(let path, let access, let owner, let mode):
            "cannot be \(access == .reading ? "read" : "written") by the user \(user ?? ProcessUser.name), because \(path) "
                + "belongs to \(owner) and has the mode \(Self.octal(mode)): change owner or mode"
                + (user == nil && !["root", ProcessUser.name].contains(owner)
                    ? ", or run this program as \(owner)" : "")
        case .readOnlyFileSystem: "is on a file system that is mounted read-only"
        }
    }

    /// Says why no file can be made at a path; `nil` if nothing is found.
    ///
    /// - Parameter path: The path of a file that does not exist. Its folder is looked at.
    /// - Returns: A part of a sentence whose subject, the file, is left out.
    package static func sentence(making path: String) -> String? {
        switch FileObstacle(makingFilesIn: FilePaths.folder(of: path)) {
        case nil: nil
        case .missingFolder(let folder)?: "cannot be written, because there is no folder \(folder)"
        case let obstacle?: "cannot be written: its folder \(obstacle.sentence())"
        }
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// A user of the user database with all groups.
private struct UserAccount {
    private let id: uid_t
    private let groups: Set<gid_t>

    init?(named name: String) {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return nil
        }
        var count: CInt = 256
        var groups = [gid_t](repeating: 0, count: Int(count))
        let result = unsafe getgrouplist(name, entry.pw_gid, &groups, &count)
        id = unsafe entry.pw_uid
        self.groups = Set(result < 0 ? [unsafe entry.pw_gid] : Array(groups.prefix(Int(count))))
    }

    /// Whether the mode allows an access: 4 to read, 1 to enter a folder.
    func may(_ access: mode_t, _ status: stat) -> Bool {
        guard id != 0 else { return true }
        let shift: mode_t = status.st_uid == id ? 6 : groups.contains(status.st_gid) ? 3 : 0
        return status.st_mode >> shift & access != 0
    }
}

/// The words for a path in a message.
package enum PathText {
    /// Returns the path, and for a relative one also the folder where it starts.
    package static func of(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = workingDirectory else { return path }
        return "\(path) (in \(folder), the working directory)"
    }

    private static var workingDirectory: String? {
        guard let folder = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder)
    }
}
