/// Why a question on a Unix socket has no answer.
package enum FrameCallError: Error, Equatable, Sendable {
    /// The socket does not exist, nothing listens at it, or this user may not connect: the `errno` of connect(2).
    case unreachable(errno: Int32)
    /// The connection ended before the answer, also when the question was repeated.
    case interrupted
    case timedOut
    /// Too many questions are open.
    case overloaded
    /// The question is longer than a frame.
    case tooLarge
}

/// A way to ask a process of this machine, as a value.
package struct FrameCalls: Sendable {
    /// Sends a question and returns the answer.
    package let ask: @Sendable (_ question: [UInt8]) async throws(FrameCallError) -> [UInt8]
    /// Whether a question would be refused now.
    package let isFull: @Sendable () -> Bool

    package init(
        isFull: @escaping @Sendable () -> Bool,
        ask: @escaping @Sendable (_ question: [UInt8]) async throws(FrameCallError) -> [UInt8]
    ) {
        self.ask = ask
        self.isFull = isFull
    }
}
