internal import Glibc

/// The access that other users have to a file, by its mode and owner.
///
/// The group of a file counts as others: the mode does not name its members, and a member who can read a key can sign
/// as the server.
package struct FileExposure: OptionSet, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The group of the file or others may read it.
    package static let readable = FileExposure(rawValue: 1)
    /// The group of the file or others may write it.
    package static let writable = FileExposure(rawValue: 2)
    /// The file belongs to another user than root, who can therefore change its mode and content.
    package static let foreign = FileExposure(rawValue: 4)

    /// Reads the exposure from the values of stat(2).
    ///
    /// - Parameters:
    ///   - mode: The member `st_mode`.
    ///   - owner: The member `st_uid`.
    ///   - user: The effective user of this process.
    package init(mode: UInt32, owner: UInt32, user: UInt32) {
        var exposure: FileExposure = []
        if mode & 0o044 != 0 { exposure.insert(.readable) }
        if mode & 0o022 != 0 { exposure.insert(.writable) }
        if owner != 0, owner != user { exposure.insert(.foreign) }
        self = exposure
    }

    init(_ status: stat) {
        self.init(mode: status.st_mode, owner: status.st_uid, user: geteuid())
    }

    /// Reads the exposure of the file at a path; `nil` if there is no file.
    ///
    /// A symbolic link is followed.
    package init?(ofFileAt path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// The kind of content of a file, which determines the access that other users must not have.
package enum FileContent: Sendable {
    /// Keys, passwords or accounts, which other users must not read.
    case secret
    /// Providers, endpoints and claims. Other users may read it, but a user who writes it controls who can sign in to
    /// which account.
    case configuration

    private var forbidden: FileExposure {
        switch self {
        case .secret: [.readable, .writable, .foreign]
        case .configuration: [.writable, .foreign]
        }
    }

    /// Says what is wrong with a file of this content, and what to do.
    ///
    /// - Returns: A sentence whose subject, the file, is left out; `nil` if nothing is wrong.
    package func objection(to exposure: FileExposure) -> String? {
        let found = exposure.intersection(forbidden)
        var facts: [String] = []
        if found.contains(.foreign) {
            facts.append(
                "belongs to another user: run this program as that user, or chown it to the user that runs this program"
            )
        }
        let remedy =
            switch self {
            case .secret: "chmod 600 it"
            case .configuration: "chmod go-w it"
            }
        switch found.subtracting(.foreign) {
        case [.readable, .writable]: facts.append("can be read and written by others: \(remedy)")
        case .readable: facts.append("can be read by others: \(remedy)")
        case .writable: facts.append("can be written by others: \(remedy)")
        default: break
        }
        return facts.isEmpty ? nil : facts.joined(separator: "; ")
    }
}
