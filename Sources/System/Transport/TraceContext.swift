/// The trace that a request belongs to (W3C Trace Context), so that the records of several systems can be joined.
///
/// An id proves nothing: a client may send any id, also that of another trace.
///
/// - SeeAlso: <https://www.w3.org/TR/trace-context-1/>
package struct TraceContext: Sendable, Equatable {
    @TaskLocal package static var current: TraceContext?

    // Both ids are numbers until they are read: most requests write no line and make no call.
    private let trace: UInt128
    private let span: UInt64
    /// The id of the work of the caller within the trace: 16 lowercase hexadecimal digits; `nil` if the trace begins here.
    package let parentID: String?
    /// Whether the caller says that it records the trace.
    package let isSampled: Bool
    /// The header field `tracestate` as it came, which only other systems understand; `nil` if there is none.
    private let state: String?

    /// Continues the trace of a request, or begins one if the request names none or not exactly one valid one.
    ///
    /// - Parameters:
    ///   - parents: The header fields `traceparent` of the request.
    ///   - states: The header fields `tracestate` of the request, in their order.
    ///   - cloudTraces: The header fields `X-Cloud-Trace-Context` of the request, which count if it has no `traceparent`.
    package init(parents: [String], states: [String], cloudTraces: [String] = []) {
        let parent = parents.count == 1 ? Self.parse(parents[0]) : nil
        let caller =
            parent ?? (parents.isEmpty && cloudTraces.count == 1 ? Self.parse(cloudTrace: cloudTraces[0]) : nil)
        trace = caller?.trace ?? UInt128(Self.number()) << 64 | UInt128(Self.number())
        span = Self.number()
        parentID = caller?.spanID
        isSampled = caller?.isSampled ?? false
        // §3.3: several fields are one list. §3.3.1.5: "Vendors SHOULD propagate at least 512 characters".
        let list = states.filter { !$0.isEmpty }.joined(separator: ",")
        state =
            parent == nil || list.isEmpty || list.utf8.count > 512 || !list.utf8.allSatisfy(Self.isPrintable)
            ? nil : list
    }

    /// The id of the whole trace: 32 lowercase hexadecimal digits.
    package var traceID: String {
        Self.digits(of: UInt64(truncatingIfNeeded: trace >> 64)) + Self.digits(of: UInt64(truncatingIfNeeded: trace))
    }

    /// The id of the work of this server within the trace (`parent-id`): 16 lowercase hexadecimal digits.
    package var spanID: String { Self.digits(of: span) }

    /// The header fields of a call that belongs to the trace.
    package var header: [HeaderField] {
        [HeaderField("traceparent", "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")")]
            + (state.map { [HeaderField("tracestate", $0)] } ?? [])
    }

    /// Parses a `traceparent` (§3.2.2).
    ///
    /// A later version may add parts after the four that this version has, and has their meaning (§4).
    private static func parse(_ text: String) -> (trace: UInt128, spanID: String?, isSampled: Bool)? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ isHexadecimal($0, count: $1) }),
            // §3.2.2.1: "Version ff is invalid"; version 00 has exactly four parts.
            parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            // §3.2.2.3 and §3.2.2.4: all zeros are invalid.
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
            let trace = UInt128(parts[1], radix: 16), let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        return (trace, parts[2], flags & 1 == 1)
    }

    /// Parses the field of Google's front ends: `TRACE/SPAN;o=1`, with the id of the span as a decimal number.
    ///
    /// - SeeAlso: <https://cloud.google.com/trace/docs/trace-context>
    private static func parse(cloudTrace text: String) -> (trace: UInt128, spanID: String?, isSampled: Bool)? {
        // The longest has 32 digits, a slash, 20 digits, and four characters.
        guard text.utf8.count <= 57 else { return nil }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        let ids = parts[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, ids.count <= 2, parts.count == 1 || ["o=0", "o=1"].contains(parts[1]),
            isHexadecimal(ids[0], count: 32), let trace = UInt128(ids[0], radix: 16), trace != 0
        else { return nil }
        let isSampled = parts.last == "o=1"
        guard ids.count == 2 else { return (trace, nil, isSampled) }
        guard ids[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let span = UInt64(ids[1]) else { return nil }
        return (trace, span == 0 ? nil : digits(of: span), isSampled)
    }

    private static func isHexadecimal(_ text: String, count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func isPrintable(_ octet: UInt8) -> Bool { (0x20...0x7E).contains(octet) }

    /// Returns a random number that is not zero.
    private static func number() -> UInt64 { UInt64.random(in: 1 ... .max) }

    private static func digits(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension HTTPTransport {
    /// Returns a transport that names the current trace in each call.
    package func propagatingTrace() -> HTTPTransport {
        HTTPTransport { request throws(TransportError) in
            var request = request
            if let trace = TraceContext.current { request.header += trace.header }
            return try await send(request)
        }
    }
}
