import Jansson

/// A fault at an endpoint.
///
/// ```json
/// {"target": "yahoo.token", "times": 1, "status": 503, "header": {"Retry-After": "1"}, "body": "text",
///  "body_repeat": 1000, "delay_ms": 100, "cut_after_bytes": 10, "drip_ms": 1000, "drop": true,
///  "remove": ["token_type"], "set": {"expires_in": -1}}
/// ```
/// Only `target` is required. Without `times` the fault lasts until it is removed. `remove` and `set` change members of
/// a JSON response.
struct Fault: Sendable {
    let target: Endpoint
    /// The number of requests that are still affected; `nil` for no limit.
    var remaining: Int64?
    let delayMilliseconds: Int64?
    /// The response that is sent instead of the endpoint's.
    let replacement: Answer?
    let manner: Delivery.Manner
    private static let many: Int64 = 1_000_000_000
    private let header: [String: String]
    private let removed: [String]
    private let set: [String: JSON]

    init(_ input: JSON) throws(ControlError) {
        var input = try ControlInput(input)
        let name = try input.requiredString("target")
        guard let target = Endpoint(rawValue: name) else {
            throw .invalid(member: "target", expected: Endpoint.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.target = target
        remaining = try input.integer("times", in: 1...Self.many)
        delayMilliseconds = try input.integer("delay_ms", in: 0...Self.many)
        header = try input.strings(in: "header")
        removed = try input.strings("remove")
        set = try input.members("set")

        let status = try input.integer("status", in: 200...599)
        let body = try input.string("body")
        let count = try input.integer("body_repeat", in: 1...Self.many) ?? 1
        if status != nil || body != nil {
            let bytes = Array((body ?? "").utf8)
            guard bytes.count * Int(count) <= 64 << 20 else {
                throw .invalid(member: "body_repeat", expected: "no more than 64 MiB in all")
            }
            replacement = Answer(
                Int(status ?? 200), header: [("Content-Type", "application/json")],
                body: Array(repeatElement(bytes, count: Int(count)).joined()))
        } else {
            replacement = nil
        }

        let drop = try input.bool("drop") ?? false
        let cut = try input.integer("cut_after_bytes", in: 0...Self.many)
        let drip = try input.integer("drip_ms", in: 0...Self.many)
        manner =
            switch (drop, cut, drip) {
            case (true, _, _): .dropped
            case (_, let count?, _): .cut(afterBytes: Int(count))
            case (_, _, let interval?): .dripping(everyMilliseconds: interval)
            default: .whole
            }
        try input.finish()
    }

    /// Changes members of a JSON response, and header fields of any response.
    func spoil(_ answer: inout Answer) {
        if !removed.isEmpty || !set.isEmpty, answer.isJSON,
            case .object(var members)? = try? JSON.parse(answer.body, maximumBytes: 1 << 20)
        {
            for name in removed { members[name] = nil }
            members.merge(set) { $1 }
            answer.body = JSON.object(members).serialized()
        }
        answer.set(header)
    }
}
