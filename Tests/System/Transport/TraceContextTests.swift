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

    @Test("X-Cloud-Trace-Context is continued if there is no traceparent, with the span as 16 hexadecimal digits")
    func cloudTrace() {
        let id = "105445aa7843bc8bf206b12000100000"
        for (field, span, isSampled) in [
            ("\(id)/1;o=1", "0000000000000001", true), ("\(id)/18446744073709551615;o=0", "ffffffffffffffff", false),
            ("\(id)/1027871334010811884", "0e43bb2c3f3a21ec", false), ("\(id);o=1", nil, true), ("\(id)/0", nil, false),
        ] {
            let trace = TraceContext(parents: [], states: ["rojo=1"], cloudTraces: [field])
            #expect(trace.traceID == id && trace.isSampled == isSampled, "\(field)")
            if field.contains("1027") {
                #expect(trace.parentID?.utf8.count == 16)
            } else {
                #expect(trace.parentID == span)
            }
            #expect(trace.header.map(\.name) == ["traceparent"])
        }
        let both = TraceContext(parents: [Self.parent], states: [], cloudTraces: ["\(id)/1;o=1"])
        #expect(both.traceID == Self.traceID && both.parentID == "00f067aa0ba902b7")
    }

    @Test(
        "Another X-Cloud-Trace-Context, one beside a bad traceparent, and two of them begin a new trace",
        arguments: [
            [""], ["105445aa7843bc8bf206b1200010000"], ["105445AA7843BC8BF206B12000100000/1"],
            ["00000000000000000000000000000000/1"], ["105445aa7843bc8bf206b12000100000/"],
            ["105445aa7843bc8bf206b12000100000/18446744073709551616"], ["105445aa7843bc8bf206b12000100000/-1"],
            ["105445aa7843bc8bf206b12000100000/+1"], ["105445aa7843bc8bf206b12000100000/1;o=2"],
            ["105445aa7843bc8bf206b12000100000/1;o=1;o=1"], ["105445aa7843bc8bf206b12000100000/1/2"],
            ["105445aa7843bc8bf206b12000100000/1\"}"],
            ["105445aa7843bc8bf206b12000100000/1", "105445aa7843bc8bf206b12000100000/1"],
        ])
    func badCloudTrace(fields: [String]) {
        let trace = TraceContext(parents: [], states: [], cloudTraces: fields)
        #expect(!trace.traceID.hasPrefix("105445") && trace.parentID == nil)
        let beside = TraceContext(
            parents: ["00-x"], states: [], cloudTraces: ["105445aa7843bc8bf206b12000100000/1;o=1"])
        #expect(!beside.traceID.hasPrefix("105445") && !beside.isSampled)
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

@Suite("The last call of the work of a task")
struct LastCallTests {
    private static let field = "the field Date of the provider's last answer"

    @Test(
        "Its text has the URL without user, query and fragment, and the status if there was an answer",
        arguments: [
            ("https://op.example/token", 400, "POST https://op.example/token: status 400"),
            ("https://u:p@op.example/a/b?code=c#d", nil, "POST https://op.example/a/b: no answer"),
            ("https://op.example?code=/c@d", 200, "POST https://op.example: status 200"),
        ] as [(String, Int?, String)])
    func text(url: String, status: Int?, text: String) async throws {
        let transport = HTTPTransport { _ throws(TransportError) in
            guard let status else { throw .unreachable(host: "op.example") }
            return OutboundResponse(status: status, body: Array("{}".utf8))
        }.notingLastCall { 0 }
        let call = LastCall()
        #expect(call.text == nil)
        _ = await LastCall.$current.withValue(call) { try? await transport.send(OutboundRequest(.post, url)) }
        #expect(call.text == text)
    }

    @Test(
        "After the status of an error it tells of missing content, and of a clock that differs by more than half a minute",
        arguments: [
            (401, "{}", "Tue, 14 Nov 2023 22:13:20 GMT", nil, "401"),
            (401, "{}", "Tue, 14 Nov 2023 22:12:50 GMT", nil, "401"),
            (
                401, "{}", "Tue, 14 Nov 2023 22:12:49 GMT", nil,
                "401, and the clock of this machine is 31 s ahead of \(field)"
            ),
            (
                503, "", "Tue, 14 Nov 2023 23:13:20 GMT", nil,
                "503, without content, and the clock of this machine is 3600 s behind \(field)"
            ),
            (503, "", nil, nil, "503, without content"), (200, "", "Tue, 14 Nov 2023 23:13:20 GMT", nil, "200"),
            (404, "{}", "Tue, 14 Nov 2023 20:00:00 GMT", "8000", "404"),
            (401, "{}", "Tuesday, 14-Nov-23 20:00:00 GMT", nil, "401"),
            (401, "{}", "Tue, 14 Xyz 2023 20:00:00 GMT", nil, "401"),
        ] as [(Int, String, String?, String?, String)])
    func peculiarities(status: Int, body: String, date: String?, age: String?, text: String) async throws {
        let header = [("date", date), ("age", age)].compactMap { name, value in value.map { HeaderField(name, $0) } }
        let transport = HTTPTransport { _ throws(TransportError) in
            OutboundResponse(status: status, header: header, body: Array(body.utf8))
        }.notingLastCall { 1_700_000_000 }
        let call = LastCall()
        _ = try await LastCall.$current.withValue(call) {
            try await transport.send(OutboundRequest(.get, "https://op.example/keys"))
        }
        #expect(call.text == "GET https://op.example/keys: status \(text)")
    }

    @Test("It tells how the clock of this machine differs from the time of any answer")
    func clock() async throws {
        let call = LastCall()
        for (date, words) in [
            ("Tue, 14 Nov 2023 22:13:20 GMT", nil),
            (
                "Tue, 14 Nov 2023 22:20:00 GMT",
                "the clock of this machine is 400 s behind \(Self.field)"
            ),
        ] as [(String, String?)] {
            let transport = HTTPTransport { _ throws(TransportError) in
                OutboundResponse(status: 200, header: [HeaderField("Date", date)])
            }.notingLastCall { 1_700_000_000 }
            #expect(call.clock == nil)
            _ = try await LastCall.$current.withValue(call) {
                try await transport.send(OutboundRequest(.post, "https://op.example/token"))
            }
            #expect(call.clock == words)
        }
    }
}
