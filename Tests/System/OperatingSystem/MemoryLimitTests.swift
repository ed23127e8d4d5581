import Foundation
import Testing

@testable import OperatingSystem

@Suite("The limit of memory")
struct MemoryLimitTests {
    private static let machine = 24_576_000_000

    /// Reads the limit in a folder with these files.
    private static func limit(_ files: [String: String]) throws -> Int {
        let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        for (path, text) in files {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: false, encoding: .utf8)
        }
        return MemoryLimit.read(root: root.path + "/", machine: machine)
    }

    @Test("In version 2 the lowest limit of the group and of those that contain it counts")
    func second() throws {
        let files = [
            "proc/self/cgroup": "0::/system.slice/token-exchange.service\n",
            "sys/fs/cgroup/system.slice/token-exchange.service/memory.max": "max\n",
            "sys/fs/cgroup/system.slice/memory.max": "536870912\n",
        ]
        #expect(try Self.limit(files) == 536_870_912)
    }

    @Test("In version 1 the hierarchy of the controller counts, which may have others beside it")
    func first() throws {
        let files = [
            "proc/self/cgroup": "9:cpu:/a\n4:hugetlb,memory:/a:b/c\n0::/d\n",
            "sys/fs/cgroup/memory/a:b/c/memory.limit_in_bytes": "1073741824\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        ]
        #expect(try Self.limit(files) == 1_073_741_824)
    }

    @Test("In a container, whose group is the root of what it sees, the root counts")
    func container() throws {
        let files = ["proc/self/cgroup": "0::/../kubepods/pod1\n", "sys/fs/cgroup/memory.max": "268435456\n"]
        #expect(try Self.limit(files) == 268_435_456)
    }

    @Test("Without a group that has a limit, the memory of the machine counts")
    func none() throws {
        for text in ["broken\n", "0::/\n", ""] {
            #expect(try Self.limit(["proc/self/cgroup": text, "sys/fs/cgroup/memory.max": "max\n"]) == Self.machine)
        }
        #expect(try Self.limit([:]) == Self.machine)
        #expect(MemoryLimit.current > 0)
    }
}
