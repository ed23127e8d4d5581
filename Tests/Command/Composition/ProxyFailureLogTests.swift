import Synchronization
import Testing
import Transport

@testable import token_exchange

@Suite("Failures of the outbound proxy in the log")
struct ProxyFailureLogTests {
    private static func failure(_ status: Int?) -> TransportError {
        .proxyFailed(proxy: "proxy.example:3128", host: "a.example", status: status)
    }

    @Test("Each status is reported once a minute, and other failures are not")
    func rate() async {
        let reports = Mutex<[TransportError]>([])
        let clock = Mutex(ContinuousClock.now)
        let log = ProxyFailureLog(now: { clock.withLock { $0 } }) { error in reports.withLock { $0.append(error) } }
        func call(_ error: TransportError) async {
            let failing = HTTPTransport { _ throws(TransportError) in throw error }
            await #expect(throws: error) {
                try await log.observing(failing).send(OutboundRequest(.get, "https://a.example/"))
            }
        }
        for error in [Self.failure(407), Self.failure(407), Self.failure(nil), .unreachable(host: "a.example")] {
            await call(error)
        }
        #expect(reports.withLock { $0 } == [Self.failure(407), Self.failure(nil)])
        clock.withLock { $0 += .seconds(60) }
        await call(Self.failure(407))
        #expect(reports.withLock { $0.count } == 3)
    }

    @Test(
        "An operator reads which proxy failed, and what to write",
        arguments: [
            (
                401,
                "the proxy proxy.example:3128 requires other credentials than those of server.outbound_proxy (status 401)",
                "Write the user name and the password that the proxy requires into server.outbound_proxy; they are sent as "
                    + "Basic. If it requires NTLM or Kerberos, let it admit this machine without a password."
            ),
            (
                407,
                "the proxy proxy.example:3128 requires other credentials than those of server.outbound_proxy (status 407)",
                "Write the user name and the password that the proxy requires into server.outbound_proxy; they are sent as "
                    + "Basic. If it requires NTLM or Kerberos, let it admit this machine without a password."
            ),
            (
                503, "the proxy proxy.example:3128 of server.outbound_proxy does not connect to a.example (status 503)",
                "If no proxy is at that address, correct server.outbound_proxy. Otherwise let the proxy connect to a.example, or "
                    + "name the host in server.no_proxy if this machine reaches it directly."
            ),
            (
                nil,
                "the proxy proxy.example:3128 of server.outbound_proxy accepts no connection, gives no answer of an HTTP proxy, or "
                    + "its name does not resolve",
                "If server.outbound_proxy does not name the host and the port at which the proxy accepts HTTP without TLS, "
                    + "correct it; otherwise let this machine reach the proxy."
            ),
        ] as [(Int?, String, String)])
    func words(status: Int?, sentence: String, remedy: String) {
        #expect(Self.failure(status).sentence == sentence)
        #expect(Self.failure(status).remedy == remedy)
    }

    @Test("The reason why there is no connection to the proxy stands in the sentence, if it is known")
    func reason() {
        let error = TransportError.proxyFailed(
            proxy: "proxy.example:3128", host: "a.example", status: nil, because: "its name does not resolve")
        #expect(
            error.sentence
                == "the proxy proxy.example:3128 of server.outbound_proxy cannot be reached (its name does not resolve)"
        )
        #expect(error.remedy == Self.failure(nil).remedy)
    }
}
