package import NIOCore

/// The requests of one client: one request, or several that each depend on the previous response.
package protocol RequestSequence: Sendable {
    /// - Parameter answer: The response to the previous request; `nil` at the beginning.
    /// - Returns: The next request, or `nil` at the end. The status of the last response is then the status of the
    ///   whole sequence.
    mutating func request(after answer: Answer?) -> ByteBuffer?
}

/// A sequence of one request, whose bytes are prepared in advance.
package struct Request: RequestSequence {
    private let bytes: ByteBuffer

    package init(_ bytes: ByteBuffer) {
        self.bytes = bytes
    }

    package mutating func request(after answer: Answer?) -> ByteBuffer? {
        answer == nil ? bytes : nil
    }
}

/// All sequences of a run.
package enum Workload: Sendable {
    /// Each sequence once. The run ends with the last one.
    case once([any RequestSequence])
    /// The same sequence again and again until the time is over.
    case again(any RequestSequence)
}
