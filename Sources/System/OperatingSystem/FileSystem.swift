internal import CLinux
internal import Glibc

/// The type of a file system, by the number that statfs(2) reports for it.
///
/// The type comes from a system call for the file itself. A table of mounts would have to be searched by device number,
/// and does not contain the device numbers of btrfs subvolumes.
package struct FileSystem: Sendable, Equatable {
    package let number: UInt32

    package init(number: UInt32) {
        self.number = number
    }

    /// Finds the file system of a path; `nil` if there is no file.
    ///
    /// A symbolic link is followed.
    @Sendable package static func of(_ path: String) -> FileSystem? {
        var status = statfs()
        guard unsafe statfs(path, &status) == 0 else { return nil }
        return FileSystem(number: UInt32(truncatingIfNeeded: status.f_type))
    }

    /// Whether the file system of a path is mounted read-only, so that no mode and no owner can be changed there.
    static func isReadOnly(at path: String) -> Bool {
        var status = statvfs()
        return unsafe statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Whether one kernel manages the locks and the shared memory of all processes that use the file system.
    ///
    /// Types that are not known count as remote: SQLite does not notice that a lock does not hold, and two machines
    /// would each accept the same credential. FUSE is remote because its program can be anything, `sshfs` for example.
    package var isLocal: Bool { Self.local[number] != nil }

    /// The names of local types by their numbers, from linux/magic.h and the sources of ZFS and bcachefs.
    private static let local: [UInt32: String] = [
        0x0000_EF53: "ext2, ext3 or ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0x2FC1_2FC1: "zfs",
        0xF2F5_2010: "f2fs", 0xCA45_1A4E: "bcachefs", 0x3153_464A: "jfs",
        // The content is lost when the machine stops. The store that is made then has not watched, and knows it.
        0x0102_1994: "tmpfs",
        // Containers write to this file system. Its upper folder must be on a file system with trusted attributes
        // and file types in folders, which NFS does not have (Documentation/filesystems/overlayfs.rst).
        0x794C_7630: "overlay",
    ]

    private static let remote: [UInt32: String] = [
        0x0000_6969: "nfs", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb2", 0x0000_517B: "smb", 0x6573_5546: "fuse",
        0x0102_1997: "9p", 0x00C3_6400: "ceph", 0x5346_414F: "afs", 0x6B41_4653: "afs", 0x7375_7245: "coda",
        0x0116_1970: "gfs2", 0x7461_636F: "ocfs2", 0x0BD0_0BD0: "lustre", 0x4750_4653: "gpfs", 0x786F_4256: "vboxsf",
        0xBACB_ACBC: "vmhgfs",
    ]
}

extension FileSystem: CustomStringConvertible {
    /// The name of the type, or its number if the name is not known here.
    package var description: String {
        Self.local[number] ?? Self.remote[number] ?? "0x" + String(number, radix: 16)
    }
}
