import OperatingSystem
import Testing

@Suite("File systems")
struct FileSystemTests {
    @Test(
        "SR-04: local types are allowed",
        arguments: [
            (0xEF53, "ext2, ext3 or ext4"), (0x5846_5342, "xfs"), (0x9123_683E, "btrfs"), (0x2FC1_2FC1, "zfs"),
            (0xF2F5_2010, "f2fs"), (0xCA45_1A4E, "bcachefs"), (0x3153_464A, "jfs"), (0x0102_1994, "tmpfs"),
            (0x794C_7630, "overlay"),
        ])
    func local(number: UInt32, name: String) {
        #expect(FileSystem(number: number).isLocal)
        #expect("\(FileSystem(number: number))" == name)
    }

    @Test(
        "SR-04: network file systems, FUSE and unknown types are not local",
        arguments: [
            (0x6969, "nfs"), (0xFF53_4D42, "cifs"), (0xFE53_4D42, "smb2"), (0x517B, "smb"), (0x6573_5546, "fuse"),
            (0x0102_1997, "9p"), (0x00C3_6400, "ceph"), (0x0116_1970, "gfs2"), (0x7461_636F, "ocfs2"),
            (0x9FA0, "0x9fa0"), (0, "0x0"),
        ])
    func remote(number: UInt32, name: String) {
        #expect(!FileSystem(number: number).isLocal)
        #expect("\(FileSystem(number: number))" == name)
    }

    @Test("The type is read from the kernel, and is nil for a missing path")
    func kernel() {
        // PROC_SUPER_MAGIC of linux/magic.h
        #expect(FileSystem.of("/proc") == FileSystem(number: 0x9FA0))
        #expect(FileSystem.of("/nowhere/at/all") == nil)
    }
}
