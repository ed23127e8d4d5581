internal import CLinux
internal import Glibc

/// Controls access to the memory of this process.
package enum ProcessMemory {
    /// Prevents core dumps of the memory, and access by debuggers of the same user.
    ///
    /// Both settings are necessary. A limit of 0 makes the kernel write no core file, but a `core_pattern` that names a
    /// program gets the memory regardless of the limit (core(5)). The memory of a process that is not dumpable goes to
    /// neither, and only root may attach to it (PR_SET_DUMPABLE in prctl(2), ptrace(2)).
    ///
    /// - Returns: `false` if the kernel refuses one of the settings.
    package static func hide() -> Bool {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        let isLimited = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
        return prctl_set_dumpable(0) == 0 && isLimited
    }

    /// Returns all whole pages of freed memory to the system.
    ///
    /// malloc keeps freed memory between blocks that are in use, so that the process would keep its peak size after a
    /// burst of requests (malloc_trim(3)). The call holds malloc's locks until it returns.
    package static func giveBack() {
        _ = malloc_trim(0)
    }

    /// Whether the kernel may write the memory to a core dump and let other processes of the same user read it.
    package static var isDumpable: Bool { prctl_get_dumpable() != 0 }
}
