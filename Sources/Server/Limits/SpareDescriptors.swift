internal import Glibc
internal import Synchronization

/// File descriptors that are held in order to be let go when there are no others.
///
/// Connections to the public listener could use up every descriptor of the process: the admin listener would accept
/// none, and the store could open no file. The public listener lets these go and accepts again only if it can have them
/// back.
final class SpareDescriptors: Sendable {
    private let count: Int
    private let held = Mutex<[Int32]>([])

    init(count: Int = 16) {
        self.count = count
        _ = take()
    }

    deinit { letGo() }

    /// Returns false, and holds none, if there are not as many to be had.
    func take() -> Bool {
        held.withLock { held in
            while held.count < count {
                let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else {
                    Self.close(&held)
                    return false
                }
                held.append(descriptor)
            }
            return true
        }
    }

    func letGo() {
        held.withLock { Self.close(&$0) }
    }

    private static func close(_ held: inout [Int32]) {
        for descriptor in held { _ = Glibc.close(descriptor) }
        held = []
    }
}
