internal import CLinux
internal import Glibc

/// Who may read the memory of this process.
package enum ProcessMemory {
    /// Keeps the memory out of core dumps, and from debuggers of the same user.
    ///
    /// Both settings are necessary. A limit of 0 makes the kernel write no core file, but a `core_pattern` that names a
    /// program gets the memory regardless of the limit (core(5)). A process that is not dumpable gives its memory to
    /// neither, and only root may attach to it (PR_SET_DUMPABLE in prctl(2), ptrace(2)).
    ///
    /// - Returns: `false` if the kernel refuses one of them.
    package static func hide() -> Bool {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        let isLimited = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
        return prctl_set_dumpable(0) == 0 && isLimited
    }

    /// Gives freed memory back to the system, all that is a whole page.
    ///
    /// malloc keeps what was freed between two blocks that are in use, so that a flood of requests would be seen in the
    /// process's memory for good (malloc_trim(3)). It holds malloc's locks for as long as that takes.
    package static func giveBack() {
        _ = malloc_trim(0)
    }

    /// The kernel may write the memory to a core dump, and show it to other processes of the same user.
    package static var isDumpable: Bool { prctl_get_dumpable() != 0 }
}
