internal import Foundation

/// What is mounted where, as proc_pid_mountinfo(5) writes it.
///
///     36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
///     (1)(2)(3)  (4)   (5)   (6)        (7)     (8)(9)
///
/// The third field is the device, the one behind the lone hyphen the type of the file system.
package struct MountTable: Sendable {
    private let typeOfDevice: [Substring: Substring]

    package init(_ text: String) {
        var types: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 2, let hyphen = fields.firstIndex(of: "-"), hyphen + 1 < fields.endIndex
            else {
                continue
            }
            types[fields[2]] = fields[hyphen + 1]
        }
        typeOfDevice = types
    }

    /// Empty where the kernel does not tell.
    package static var current: MountTable {
        let bytes = FileManager.default.contents(atPath: "/proc/self/mountinfo") ?? Data()
        return MountTable(String(decoding: bytes, as: UTF8.self))
    }

    /// Nil for a device that is not in the table.
    ///
    /// - Parameter device: `st_dev` of a file on it.
    /// - Returns: the name of its type, `ext4` for example.
    package func fileSystem(ofDevice device: UInt64) -> String? {
        // makedev(3) on Linux: the bits are MMMM Mmmm mmmM MMmm, in hexadecimal digits from the highest.
        let major = (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000
        let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
        return typeOfDevice["\(major):\(minor)"].map(String.init)
    }

    /// Whether the files on a device may be on another machine: NFS, SMB, AFS, Ceph, or a folder shared by 9P.
    package func isNetwork(device: UInt64) -> Bool {
        ["nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "9p"].contains(
            fileSystem(ofDevice: device))
    }
}
