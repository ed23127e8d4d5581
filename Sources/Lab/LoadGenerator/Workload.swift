package import NIOCore

/// What one client does at the server: one request, or several of which each needs the answer before it.
package protocol RequestSequence: Sendable {
    /// - Parameter answer: to the request before; nil at the beginning.
    /// - Returns: nil if the errand has ended; the status of the latest answer is then that of the whole.
    mutating func request(after answer: Answer?) -> ByteBuffer?
}

/// One request, which is written in advance.
package struct Request: RequestSequence {
    private let bytes: ByteBuffer

    package init(_ bytes: ByteBuffer) {
        self.bytes = bytes
    }

    package mutating func request(after answer: Answer?) -> ByteBuffer? {
        answer == nil ? bytes : nil
    }
}

/// The errands of a run.
package enum Workload: Sendable {
    /// Each once; the run ends with the last.
    case once([any RequestSequence])
    /// One request, as often as there is time.
    case again(any RequestSequence)
}
