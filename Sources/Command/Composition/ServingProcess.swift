internal import Foundation

/// What a process that serves asks of its system, before it opens anything.
enum ServingProcess {
    static func prepare() {
        // Other users may not read what it makes: the store, and the keys beside it.
        umask(0o077)
        // Each connection is a file; the usual 1024 are fewer than `limits.connections` may allow.
        limit(RLIMIT_NOFILE) { $0.rlim_cur = $0.rlim_max }
        for signal in ignoredSignals { _ = Foundation.signal(signal, SIG_IGN) }
    }

    /// - `SIGXFSZ`: a file that may not grow is a failed write, as on a full disk.
    /// - `SIGHUP`: comes in vain until there is a configuration in force that could be reloaded.
    private static let ignoredSignals = [SIGXFSZ, SIGHUP]

    /// How many files this process may have open.
    static var descriptorLimit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    private static func limit(_ resource: __rlimit_resource, _ change: (inout rlimit) -> Void) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return }
        change(&limit)
        _ = unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }
}
