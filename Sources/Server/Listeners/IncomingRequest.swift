internal import Flows
internal import HTTPTypes
package import Hummingbird
package import Logging
internal import NIOCore
internal import OAuth

/// One request, with all that is known of it before a route reads it.
struct IncomingRequest: Sendable {
    let request: Request
    let endpoint: Endpoint
    let requestID: String
    /// The pipeline of the configuration in force: a reload may make another one.
    let corridor: Corridor
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

extension IncomingRequest {
    /// Lets a client in: its web origins, and its App Check.
    ///
    /// - `client`: nil where the request names none.
    func admit(_ client: ClientID?, _ provider: ProviderID? = nil) async throws(RequestError) {
        if let client {
            notes.note(client: client, provider: provider, in: corridor)
            try CORS.check(request, client: corridor.clients[client])
        }
        let failure = try await asking { () async throws(SignInError) in
            try await corridor.checkApp(appCheckToken, of: client)
        }
        if let failure {
            notes.note(appCheck: failure)
            logger.warning("app check", metadata: ["request_id": "\(requestID)", "failure": "\(failure)"])
        }
    }

    /// Nil where there are two: the one that is not looked at could be the one that counts.
    private var appCheckToken: String? {
        guard let name = HTTPField.Name("X-Firebase-AppCheck") else { return nil }
        let fields = request.headers[values: name]
        return fields.count == 1 ? fields.first : nil
    }

    func asking<Value: Sendable>(
        _ corridor: () async throws(SignInError) -> Value
    ) async throws(RequestError) -> Value {
        do {
            return try await corridor()
        } catch {
            throw .signIn(error)
        }
    }
}

/// The name of one request in answers and logs.
///
/// Ours alone: what a client sends is not believed.
enum RequestIdentifier {
    /// 32 hexadecimal digits.
    static func make() -> String {
        let halves = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return halves.map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// What Hummingbird tells us of a request beside the request itself.
package struct ListenerContext: InitializableFromSource {
    package let logger: Logger
    /// Of whoever opened the connection: the client, or the last proxy.
    package let peerAddress: String?

    package init(source: ApplicationRequestContextSource) {
        logger = source.logger
        peerAddress = source.channel.remoteAddress?.ipAddress
    }
}
