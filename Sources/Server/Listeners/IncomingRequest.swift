internal import Flows
internal import Hummingbird
internal import Logging

/// One request, with all that is known of it before a route reads it.
struct IncomingRequest: Sendable {
    let request: Request
    let endpoint: Endpoint
    let requestID: String
    /// The pipeline of the configuration in force: a reload may make another one.
    let flows: FlowSet
    /// The network that it counts against.
    let address: ClientNetwork
    let admission: Admission
    let logger: Logger
    let notes = RequestNotes()

    /// The path of the request target, not decoded and not normalized.
    var path: String { Self.halves(of: request).path }

    /// What stands behind the question mark, not decoded; nil without one.
    var query: String? { Self.halves(of: request).query }

    static func path(of request: Request) -> String { halves(of: request).path }

    private static func halves(of request: Request) -> (path: String, query: String?) {
        let target = request.head.path ?? ""
        // By octets: for Swift a question mark with a combining mark behind it is another character.
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (target, nil) }
        return (String(target[..<mark]), String(target[target.utf8.index(after: mark)...]))
    }
}
