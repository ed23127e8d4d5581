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

    /// The group of the file may read it.
    package static let groupReadable = FileExposure(rawValue: 1)
    package static let groupWritable = FileExposure(rawValue: 2)
    /// Users outside the group of the file may read it.
    package static let otherReadable = FileExposure(rawValue: 4)
    package static let otherWritable = FileExposure(rawValue: 8)
    /// The file belongs to another user than root and the user of this process, who can therefore change its mode and
    /// content.
    package static let foreign = FileExposure(rawValue: 16)
    /// The file belongs to root, and this process runs as another user.
    ///
    /// It can then read the file only as a member of the group or as one of the others.
    package static let ofRoot = FileExposure(rawValue: 32)

    package static let readable: FileExposure = [.groupReadable, .otherReadable]
    package static let writable: FileExposure = [.groupWritable, .otherWritable]

    /// Reads the exposure from the values of stat(2).
    ///
    /// - Parameters:
    ///   - mode: The member `st_mode`.
    ///   - owner: The member `st_uid`.
    ///   - user: The effective user of this process.
    package init(mode: UInt32, owner: UInt32, user: UInt32) {
        var exposure: FileExposure = []
        if mode & 0o040 != 0 { exposure.insert(.groupReadable) }
        if mode & 0o020 != 0 { exposure.insert(.groupWritable) }
        if mode & 0o004 != 0 { exposure.insert(.otherReadable) }
        if mode & 0o002 != 0 { exposure.insert(.otherWritable) }
        if owner != user { exposure.insert(owner == 0 ? .ofRoot : .foreign) }
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

    /// Says what is wrong with a file of this content, and with which command to correct it.
    ///
    /// - Parameters:
    ///   - path: The path of the file, for the command.
    ///   - user: The name of the user that runs this process.
    /// - Returns: A sentence whose subject, the file, is left out; `nil` if nothing is wrong.
    package func objection(
        to exposure: FileExposure, at path: String, user: String = ProcessUser.name
    ) -> String? {
        let found = exposure.intersection(forbidden)
        guard !found.isEmpty else { return nil }
        let owners = user == "root" ? "root" : "root and \(user)"
        let owner = found.contains(.foreign) ? "belongs to another user than \(owners)" : nil
        let facts = [owner, Self.access(found)].compactMap(\.self).joined(separator: " and ")
        // A container gets these files anew at each start, and those of a pod are mounted read-only.
        let isSupplied = ["/run/secrets/", "/var/run/secrets/"].contains(where: path.hasPrefix)
        guard !isSupplied, !FileSystem.isReadOnly(at: path) else {
            // Kubernetes gives a secret to root, and lets its group read it if the pod has fsGroup.
            let ofPod = " (in a pod whose user is not root, no other mode can be read)"
            return
                "\(facts): set owner and mode at its source, which is the definition of the secret (uid, mode) or the file of the "
                + "host" + (found == .groupReadable && exposure.contains(.ofRoot) ? ofPod : "")
        }
        let command = command(against: exposure, at: path, user: user)
        guard found.contains(.foreign) else { return "\(facts): run \(command)" }
        let advice = "\(facts): run this program as the owner of the file"
        guard !command.isEmpty else { return advice }
        return "\(advice), \(user == "root" ? "and" : "or") run \(command)"
    }

    /// Returns the shell command that gives a file of this content the owner and the mode that it needs; an empty text if
    /// there is none.
    ///
    /// Root gets no other owner: root ran a command by hand, and a server that runs as the owner needs the file.
    ///
    /// A secret of root that the process reads as a member of its group also changes its owner: with the mode 600, the
    /// process could no longer read it.
    package func command(
        against exposure: FileExposure, at path: String, user: String = ProcessUser.name
    ) -> String {
        let found = exposure.intersection(forbidden)
        let isShared = !found.subtracting(.foreign).isEmpty
        let word = ShellWord.of(path)
        var commands: [String] = []
        let needsOwner = found.contains(.foreign) || self == .secret && isShared && exposure.contains(.ofRoot)
        if needsOwner, user != "root" {
            commands.append("chown \(ShellWord.of(user)) \(word)")
        }
        if isShared { commands.append("chmod \(self == .secret ? "600" : "go-w") \(word)") }
        return commands.joined(separator: " && ")
    }

    private static func access(_ found: FileExposure) -> String? {
        func users(_ group: FileExposure, _ others: FileExposure) -> String? {
            switch (found.contains(group), found.contains(others)) {
            case (true, true): "by its group and by all other users"
            case (true, false): "by its group"
            case (false, true): "by all other users"
            case (false, false): nil
            }
        }
        switch (users(.groupReadable, .otherReadable), users(.groupWritable, .otherWritable)) {
        case (let readers?, let writers?) where readers == writers: return "can be read and written \(readers)"
        case (let readers?, let writers?): return "can be read \(readers) and written \(writers)"
        case (let readers?, nil): return "can be read \(readers)"
        case (nil, let writers?): return "can be written \(writers)"
        case (nil, nil): return nil
        }
    }
}

/// The effective user of this process.
package enum ProcessUser {
    /// The name, or the number if the user has no name.
    package static var name: String { name(of: geteuid()) }

    /// The name of a user, or its number if it has no name.
    static func name(of user: UInt32) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        let result = unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &found)
        guard result == 0, unsafe found != nil, let name = unsafe entry.pw_name else { return "\(user)" }
        return unsafe String(cString: name)
    }
}

/// Words of a command that an operator copies into a shell.
package enum ShellWord {
    /// Returns a text as one word, quoted if it has a character with a meaning for the shell.
    package static func of(_ text: String) -> String {
        // A word that begins with a hyphen would be an option.
        let text = text.hasPrefix("-") ? "./" + text : text
        let isPlain = text.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+:@%,=".utf8.contains(octet)
            }
        }
        return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
}
