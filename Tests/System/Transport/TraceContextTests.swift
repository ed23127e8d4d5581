import Synchronization
import Testing

@testable import Transport

@Suite("The trace of a request (W3C Trace Context)")
struct TraceContextTests {
    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00-\(traceID)-00f067aa0ba902b7-01"

    @Test("A valid traceparent is continued: the same trace, another span, the same flag")
    func continued() {
        let trace = TraceContext(parents: [Self.parent], states: ["rojo=00f067aa0ba902b7", "congo=t61"])
        #expect(trace.traceID == Self.traceID)
        #expect(trace.spanID != "00f067aa0ba902b7" && trace.spanID.utf8.count == 16)
        #expect(
            trace.header == [
                HeaderField("traceparent", "00-\(Self.traceID)-\(trace.spanID)-01"),
                HeaderField("tracestate", "rojo=00f067aa0ba902b7,congo=t61"),
            ])
    }

    @Test("A trace that is not recorded stays unrecorded, and a later version is read like version 00")
    func flags() {
        #expect(!TraceContext(parents: [Self.parent.dropLast(2) + "02"], states: []).isSampled)
        let later = TraceContext(parents: ["cc-\(Self.traceID)-00f067aa0ba902b7-01-what-comes"], states: [])
        #expect(later.traceID == Self.traceID && later.isSampled)
        #expect(later.header.count == 1)
    }

    @Test(
        "Anything else begins a new trace, and its state is dropped",
        arguments: [
            [], ["", ""], [""], [parent, parent], [parent + "-"], [parent + "-00"], [parent.uppercased()],
            ["ff" + parent.dropFirst(2)], ["00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01"],
            ["00-\(traceID)-0000000000000000-01"], ["00-\(traceID)-00f067aa0ba902b-01"], ["00-\(traceID)-01"],
            ["00-\(traceID)x-00f067aa0ba902b7-01"], [" " + parent],
        ])
    func begun(parents: [String]) {
        let trace = TraceContext(parents: parents, states: ["rojo=1"])
        #expect(trace.traceID != Self.traceID && trace.traceID.utf8.count == 32)
        #expect(trace.header.map(\.name) == ["traceparent"])
    }

    @Test(
        "A state that is too long or not printable is dropped",
        arguments: [String(repeating: "a", count: 513), "a=\tb"])
    func states(state: String) {
        #expect(TraceContext(parents: [Self.parent], states: [state]).header.count == 1)
    }

    @Test("A transport that propagates names the current trace, and adds nothing outside a trace")
    func propagated() async throws {
        let sent = Mutex<[[HeaderField]]>([])
        let transport = HTTPTransport { request throws(TransportError) in
            sent.withLock { $0.append(request.header) }
            return OutboundResponse(status: 200)
        }.propagatingTrace()
        let trace = TraceContext(parents: [Self.parent], states: [])
        _ = try await transport.send(OutboundRequest(.get, "https://a.example"))
        try await TraceContext.$current.withValue(trace) {
            _ = try await transport.send(OutboundRequest(.get, "https://a.example", header: [HeaderField("A", "b")]))
        }
        #expect(sent.withLock { $0 } == [[], [HeaderField("A", "b")] + trace.header])
    }
}
