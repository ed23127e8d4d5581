internal import Foundation

/// Processor time and memory of processes and their children, from proc(5).
package struct ProcessTree: Sendable {
    static var current: Int32 { ProcessInfo.processInfo.processIdentifier }

    private let roots: [Int32]

    package init(_ roots: [Int32]) {
        self.roots = roots
    }

    /// The processor time in nanoseconds, user and system, of all threads and of children that have ended.
    ///
    /// It comes from schedstat, because stat has a resolution of only a hundredth of a second.
    ///
    /// - Throws: ``LoadError/unreadableProcess(_:)`` if one of the roots has ended.
    package func processorTime() throws(LoadError) -> Int64 {
        var total: Int64 = 0
        for pid in all {
            guard let threads = Self.names(in: "/proc/\(pid)/task") else {
                if roots.contains(pid) { throw .unreadableProcess(pid) }
                continue
            }
            for thread in threads {
                let text = Self.text("/proc/\(pid)/task/\(thread)/schedstat")
                total += text?.split(separator: " ").first.flatMap { Int64($0) } ?? 0
            }
            total += Self.endedChildren(of: pid)
        }
        return total
    }

    /// The resident memory in KiB, now and at its peak, summed over the processes.
    package func residentMemory() -> (now: Int, peak: Int) {
        var (now, peak) = (0, 0)
        for pid in all {
            for line in (Self.text("/proc/\(pid)/status") ?? "").split(separator: "\n") {
                let words = line.split { $0 == " " || $0 == "\t" }
                guard words.count > 1, let value = Int(words[1]) else { continue }
                if words[0] == "VmRSS:" { now += value }
                if words[0] == "VmHWM:" { peak += value }
            }
        }
        return (now, peak)
    }

    private var all: [Int32] {
        var found = roots
        var index = 0
        while index < found.count {
            for thread in Self.names(in: "/proc/\(found[index])/task") ?? [] {
                let children = Self.text("/proc/\(found[index])/task/\(thread)/children") ?? ""
                found += children.split(separator: " ").compactMap { Int32($0) }
            }
            index += 1
        }
        return found
    }

    private static func endedChildren(of pid: Int32) -> Int64 {
        let stat = text("/proc/\(pid)/stat") ?? ""
        // The second field is the name in parentheses, which may contain spaces.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        guard fields.count > 15, let user = Int64(fields[14]), let system = Int64(fields[15]) else { return 0 }
        return (user + system) * 10_000_000
    }

    private static func names(in folder: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: folder)
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
