internal import Flows
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Standards

/// A request with everything that is known about it before a route reads it.
struct IncomingRequest: Sendable {
    let request: Request
    let endpoint: Endpoint
    let operation: Endpoint.Operation
    let requestID: String
    /// The flows of the configuration at the start of the request: a reload does not affect it.
    let flows: FlowSet
    /// The network that the request counts against.
    let address: ClientNetwork
    let concurrencyLimit: ConcurrencyLimit
    let logger: Logger
    let notes = RequestNotes()

    /// The path of the request target, not decoded and not normalized.
    var path: String { Self.halves(of: request).path }

    /// What follows the prefix of the endpoint, not decoded; empty if its path has no parameter.
    var parameter: String { String(path.dropFirst(endpoint.prefix.count)) }

    /// The text after the question mark, not decoded; `nil` if there is no question mark.
    var query: String? { Self.halves(of: request).query }

    static func path(of request: Request) -> String { halves(of: request).path }

    static func halves(of request: Request) -> (path: String, query: String?) {
        let target = request.head.path ?? ""
        // The text is searched by octets, because a question mark and a combining mark after it are one `Character`.
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (target, nil) }
        return (String(target[..<mark]), String(target[target.utf8.index(after: mark)...]))
    }
}

extension IncomingRequest {
    /// Counts the request against the rate of its operation.
    ///
    /// - Throws: ``Refusal/rateLimited(retryAfter:)`` if its network has used up the rate.
    func count(in rates: Rates) throws(Refusal) {
        try operation.rate?(rates)?.take(address)
    }

    /// Checks the web origin and the App Check token of a request, by the configuration of its client.
    ///
    /// A client that is not configured has none of the two rules: the flow refuses it (`Registrations`).
    ///
    /// - Parameters:
    ///   - client: The client; `nil` if the request names none, which skips the check of the origin.
    ///   - provider: The provider, for the audit trail.
    /// - Throws: ``Refusal/originNotAllowed(_:)``, or the App Check failure if the client requires App Check.
    func checkApplication(_ client: ClientID?, _ provider: ProviderID? = nil) async throws(Refusal) {
        if let client {
            notes.note(client: client, provider: provider, in: flows)
            try CORS.check(request, client: flows.clients[client])
        }
        if let failure = try await flows.appCheck.check(appCheckToken, of: client) {
            notes.note(appCheck: failure)
            logger.warning(
                "App Check failed; the client only logs failures",
                metadata: ["request_id": "\(requestID)", "failure": "\(failure.finding ?? failure.reason.rawValue)"])
        }
    }

    /// The App Check token; `nil` if the field occurs twice, because only one of the two would be checked.
    private var appCheckToken: String? {
        guard let name = HTTPField.Name("X-Firebase-AppCheck") else { return nil }
        let fields = request.headers[values: name]
        return fields.count == 1 ? fields.first : nil
    }

    /// Runs a call of a flow and reports its error as a refusal.
    func call<Value: Sendable>(
        _ call: @autoclosure () async throws -> Value, isolation: isolated (any Actor)? = #isolation
    ) async throws(Refusal) -> Value {
        do {
            return try await call()
        } catch {
            throw Refusal(error)
        }
    }

    /// Runs a call of a flow whose outcome is audited, and records its fact.
    ///
    /// Swift prefers this overload for every ``AuditedOutcome``, so that no route can forget the audit trail.
    func call<Outcome: AuditedOutcome>(
        _ call: @autoclosure () async throws -> Outcome, isolation: isolated (any Actor)? = #isolation
    ) async throws(Refusal) -> Outcome {
        do {
            let outcome = try await call()
            notes.note(outcome.auditFact)
            return outcome
        } catch {
            throw Refusal(error)
        }
    }
}

extension Request {
    /// Whether a browser sends the request in advance, before the user has followed the link.
    ///
    /// Safari says `X-Purpose: preview`, and old versions of Firefox `X-Moz: prefetch`.
    var isPrefetch: Bool {
        ["Purpose", "Sec-Purpose", "X-Moz", "X-Purpose"].contains { name in
            let value = HTTPField.Name(name).flatMap { headers[$0] } ?? ""
            return value.contains("prefetch") || value.contains("preview")
        }
    }
}
