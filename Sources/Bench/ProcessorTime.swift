internal import Foundation

/// What the kernel says a process has taken, all its threads together.
enum ProcessorTime {
    /// User and system time, from /proc/PID/stat, in clock ticks of a hundredth of a second.
    ///
    /// - `process`: its number, or `self`.
    static func seconds(of process: String) throws -> Double {
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        // The second field is the name in parentheses, which may hold spaces.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
            throw BenchError.unreadableProcess
        }
        return (user + system) / 100
    }
}
