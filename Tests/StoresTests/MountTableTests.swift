import Foundation
import SQLiteStores
import Stores
import Testing

@Suite("Mount table")
struct MountTableTests {
    private func device(_ major: UInt64, _ minor: UInt64) -> UInt64 {
        (major & 0xFFF) << 8 | (major & ~0xFFF) << 32 | minor & 0xFF | (minor & ~0xFF) << 12
    }

    private static let table = MountTable(
        """
        22 27 0:20 / /proc rw,nosuid shared:5 - proc proc rw
        27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro
        36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 - ext3 /dev/root rw
        40 27 0:45 / /home rw shared:9 master:2 - nfs4 server:/home rw
        41 27 0:300 / /srv rw - cifs //server/share rw
        42 27 0:46 / /vm rw - 9p host rw
        broken line -
        43 27
        """)

    @Test("SR-04: the file systems of other machines are told from our own")
    func network() {
        for local in [device(0, 20), device(254, 0), device(98, 0), device(1, 1)] {
            #expect(!Self.table.isNetwork(device: local))
        }
        for remote in [device(0, 45), device(0, 300), device(0, 46)] {
            #expect(Self.table.isNetwork(device: remote))
        }
        for type in ["nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "9p"] {
            #expect(
                MountTable("40 27 5000:70000 / /home rw - \(type) x rw").isNetwork(
                    device: device(5000, 70000)))
        }
    }

    @Test("A device is found by its number, and an unknown one not at all")
    func types() {
        #expect(Self.table.fileSystem(ofDevice: device(254, 0)) == "ext4")
        #expect(Self.table.fileSystem(ofDevice: device(0, 300)) == "cifs")
        #expect(Self.table.fileSystem(ofDevice: device(7, 7)) == nil)
        #expect(MountTable("").fileSystem(ofDevice: 0) == nil)
    }

    @Test("The kernel's own table is read")
    func current() throws {
        let device =
            try FileManager.default.attributesOfItem(atPath: "/proc")[.systemNumber] as? NSNumber
        #expect(MountTable.current.fileSystem(ofDevice: try #require(device).uint64Value) == "proc")
    }

    @Test("SR-04: a folder on another machine is refused, and nothing is made in it")
    func refused() throws {
        let folder = try TemporaryFolder()
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        let device = try #require(attributes[.systemNumber] as? NSNumber).uint64Value
        let number = "\(device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000):\(device & 0xFF | device >> 12 & 0xFFFF_FF00)"
        #expect(throws: StoreError.notLocal) {
            try SQLiteStore.open(path: folder.database, mounts: MountTable("1 1 \(number) / / rw - nfs4 server:/ rw"))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.database))
        _ = try SQLiteStore.open(path: folder.database, mounts: MountTable("1 1 \(number) / / rw - ext4 /dev/x rw"))
    }
}
