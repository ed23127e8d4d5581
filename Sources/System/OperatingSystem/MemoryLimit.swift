internal import Foundation

/// The memory that this process may have: that of its control groups, or of the machine (cgroups(7)).
package enum MemoryLimit {
    /// The number of octets.
    package static let current = read(root: "/", machine: Int(clamping: ProcessInfo.processInfo.physicalMemory))

    /// Finds the lowest limit of the groups of the process and of the machine.
    ///
    /// - Parameters:
    ///   - root: The folder that contains `proc` and `sys`.
    ///   - machine: The memory of the machine.
    /// - Returns: The number of octets.
    static func read(root: String, machine: Int) -> Int {
        let groups = (text(root + "proc/self/cgroup") ?? "").split(separator: "\n").flatMap { line in
            // The number of the hierarchy, its controllers, which are empty in version 2, and the path of the group.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [Int]() }
            if parts[1].split(separator: ",").contains("memory") {
                return limits("memory.limit_in_bytes", of: parts[2], below: root + "sys/fs/cgroup/memory")
            }
            guard parts[1].isEmpty else { return [] }
            return limits("memory.max", of: parts[2], below: root + "sys/fs/cgroup")
        }
        return min(machine, groups.min() ?? machine)
    }

    /// Reads the limits of a group and of those that contain it; a group without a limit has the word `max`.
    ///
    /// In a container the path may be one of the machine, which is not there; the root is then the group of the container.
    private static func limits(_ file: String, of group: Substring, below folder: String) -> [Int] {
        var components = group.split(separator: "/")
        var found: [Int] = []
        while true {
            let path = ([folder] + components.map(String.init) + [file]).joined(separator: "/")
            if let text = text(path), let limit = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
                found.append(limit)
            }
            guard components.popLast() != nil else { return found }
        }
    }

    private static func text(_ path: String) -> String? {
        // Foundation's `String(contentsOfFile:)` leaks its buffer if the file is empty.
        guard let octets = try? OpenedFile(path).read(atMost: 65_536) else { return nil }
        return String(decoding: octets, as: UTF8.self)
    }
}
