import Testing
import Transport

@testable import Server

@Suite("Metrics of calls to peers")
struct PeerMetersTests {
    private let metrics = Metrics()

    /// Sends one call to a peer that responds in a given way, and returns the series of a family.
    private func series(
        _ family: String, after answer: Result<OutboundResponse, TransportError>,
        of request: OutboundRequest = Self.request
    ) async -> [String] {
        let transport = metrics.measuring(HTTPTransport { _ throws(TransportError) in try answer.get() })
        _ = try? await transport.send(request)
        return metrics.text(ConcurrencyLimit(maximum: 1, maximumBodies: 1), []).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix(family) }
    }

    private static let request = OutboundRequest(.post, "https://a.example/token")
        .queued(in: CallQueue("yahoo.com", "token", limit: 1))

    @Test("A response counts with its status, and its time is measured")
    func response() async {
        #expect(
            await series("token_exchange_peer_calls_total", after: .success(OutboundResponse(status: 200))) == [
                #"token_exchange_peer_calls_total{peer="yahoo.com",call="token",outcome="200"} 1"#
            ])
        #expect(
            await series("token_exchange_peer_call_seconds_count", after: .success(OutboundResponse(status: 200))) == [
                #"token_exchange_peer_call_seconds_count{peer="yahoo.com",call="token"} 2"#
            ])
    }

    @Test("A status that few peers send counts for its class, so that a peer cannot create many series")
    func unusualStatus() async {
        #expect(
            await series("token_exchange_peer_calls_total", after: .success(OutboundResponse(status: 418))) == [
                #"token_exchange_peer_calls_total{peer="yahoo.com",call="token",outcome="4xx"} 1"#
            ])
    }

    @Test("A call without a response counts with the reason, without the host")
    func failure() async {
        #expect(
            await series("token_exchange_peer_calls_total", after: .failure(.unreachable(host: "a.example"))) == [
                #"token_exchange_peer_calls_total{peer="yahoo.com",call="token",outcome="unreachable"} 1"#
            ])
    }

    @Test("A call that the outbound proxy did not let pass counts as such, without the proxy and the host")
    func proxy() async {
        let failure = TransportError.proxyFailed(proxy: "proxy.example:3128", host: "a.example", status: 407)
        #expect(
            await series("token_exchange_peer_calls_total", after: .failure(failure)) == [
                #"token_exchange_peer_calls_total{peer="yahoo.com",call="token",outcome="proxy_failed"} 1"#
            ])
    }

    @Test("A call that the provider charges for is counted, also if it fails")
    func paid() async {
        var request = Self.request
        #expect(
            await series("token_exchange_paid_calls_total{", after: .success(OutboundResponse(status: 200))).isEmpty)
        request.isPaid = true
        #expect(
            await series("token_exchange_paid_calls_total{", after: .failure(.notHTTP(host: "a")), of: request) == [
                #"token_exchange_paid_calls_total{provider="yahoo.com"} 1"#
            ])
    }

    @Test("A transport puts calls without a queue into its own one")
    func queueing() async throws {
        let queue = CallQueue("google", "keys")
        let seen = HTTPTransport { request throws(TransportError) in
            OutboundResponse(status: request.queue == queue ? 200 : 500)
        }.queueing(in: queue)
        try #expect(await seen.send(OutboundRequest(.get, "https://a.example")).status == 200)
        try #expect(await seen.send(Self.request).status == 500)
    }
}
