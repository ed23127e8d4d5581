/// The network, as a value: production hands in libcurl, a test whatever it likes.
package struct HTTPTransport: Sendable {
    package typealias Send = @Sendable (OutboundRequest) async throws(TransportError) -> OutboundResponse

    /// Answers for every status, 4xx and 5xx included; throws only where there is no answer.
    package let send: Send

    package init(send: @escaping Send) {
        self.send = send
    }
}
