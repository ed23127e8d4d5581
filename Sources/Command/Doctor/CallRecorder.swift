internal import Jansson
internal import Providers
internal import Standards
internal import Synchronization
internal import Transport

/// What providers answered to each call, without anything that could be a secret.
///
/// A provider shows the plan of a registration only by statuses, error codes and limits.
final class CallRecorder: Sendable {
    /// The header fields by which X shows plan and permissions.
    private static let fields = [
        "x-access-level", "x-rate-limit-limit", "x-app-limit-24hour-limit", "x-user-limit-24hour-limit",
    ]

    private let calls = Mutex<[(peer: String?, text: String, words: String?)]>([])

    /// Returns a transport whose calls are recorded.
    func observing(_ transport: HTTPTransport) -> HTTPTransport {
        HTTPTransport { [self] request throws(TransportError) in
            let response = try await transport.send(request)
            let words = response.status >= 400 ? ProviderWords.of(response, to: request) : nil
            let call = (request.queue?.peer, Self.text(request, response), words)
            calls.withLock { $0.append(call) }
            return response
        }
    }

    /// The finding about all calls to a provider that were answered.
    func finding(_ id: String, at provider: ProviderID, of subject: String) -> Finding {
        let calls = calls.withLock { $0.filter { $0.peer == provider.text }.map(\.text) }
        return Finding(
            id, of: subject, .info,
            calls.isEmpty ? "No call was answered." : "The provider answered: \(calls.joined(separator: "; ")).")
    }

    /// What a provider says in its answer to the last call, if it refuses that.
    func words(at provider: ProviderID) -> String? {
        calls.withLock { $0.last { $0.peer == provider.text }?.words }
    }

    private static func text(_ request: OutboundRequest, _ response: OutboundResponse) -> String {
        let limits = fields.compactMap { name in
            response[field: name].flatMap { isPlain($0, and: digits) ? "\(name) \($0)" : nil }
        }
        let details = (response.status == 200 ? [] : causes(in: response)) + limits
        return "\(request.method.rawValue) \(request.address) \(response.status)"
            + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }

    /// The error codes of OAuth 2.0 (RFC 6749 §5.2), of X, and of problem details (RFC 9457).
    private static func causes(in response: OutboundResponse) -> [String] {
        guard let answer = try? JSON.parse(response.body, maximumBytes: 64 * 1024) else { return [] }
        let codes = (answer["errors"]?.array ?? []).compactMap { $0["code"]?.integer.map { "code \($0)" } }
        let type = answer["type"]?.string?.split(separator: "/").last.map(String.init)
        // A provider might echo a code or a token, which has digits or is long.
        let names = [answer["error"]?.string, answer["reason"]?.string, type].compactMap(\.self).filter { isPlain($0) }
        return codes + names
    }

    private static let digits: ClosedRange<UInt8> = 0x30...0x39

    private static func isPlain(_ text: String, and further: ClosedRange<UInt8>? = nil) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { octet in
                (0x41...0x5A).contains(octet) || (0x61...0x7A).contains(octet) || octet == 0x5F || octet == 0x2D
                    || further?.contains(octet) == true
            }
    }
}
