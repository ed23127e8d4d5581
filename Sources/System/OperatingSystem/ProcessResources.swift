internal import Foundation

/// The resources that this process uses, as the kernel reports them (proc(5)).
package struct ProcessResources: Sendable, Equatable {
    /// The processor time in user and system mode, in seconds.
    package let processorSeconds: Double
    package let residentBytes: Int
    package let openDescriptors: Int
    package let maximumDescriptors: Int

    /// Reads the resources; returns `nil` if the system has no `/proc`.
    package static func current() -> ProcessResources? {
        var usage = rusage()
        var limit = rlimit()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0,
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                .split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        else { return nil }
        return ProcessResources(
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            residentBytes: pages * sysconf(Int32(_SC_PAGESIZE)), openDescriptors: descriptors,
            maximumDescriptors: Int(clamping: limit.rlim_cur))
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
