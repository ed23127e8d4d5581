internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// Finds the endpoint of a request, calls its handler, and completes the response.
struct Responder: HTTPResponder {
    struct Context: InitializableFromSource {
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            channel = source.channel
        }
    }

    let handlers: Handlers
    let log: RequestLog
    let environment: BackendEnvironment

    /// The limits of the HTTP parser.
    ///
    /// They are greater than the limits above which ``Responder`` responds with an error.
    static var limits: HTTP1Channel.Configuration {
        var limits = HTTP1Channel.Configuration(idleTimeout: .seconds(60))
        limits.httpDecoder = .init(
            maxHeaderFieldSize: 32 * 1024, maxHeaderListSize: 64 * 1024, maxHeaderFieldCount: 400)
        return limits
    }

    func respond(to request: Hummingbird.Request, context: Context) async throws -> Hummingbird.Response {
        let requestID = Self.requestID()
        let incoming = IncomingRequest(request, log: log, environment: environment)
        let endpoint = Endpoint(path: incoming.path, environment: environment)
        // A client that sends one byte per minute must not occupy a connection forever.
        let deadline = Task {
            try await Task.sleep(for: .seconds(30))
            try await context.channel.close()
        }
        defer { deadline.cancel() }
        var response: Response
        var reason: String?
        do throws(Refusal) {
            response = try await answer(incoming, endpoint)
        } catch {
            reason = error.reason
            response =
                endpoint?.isForPeople == true
                ? .page(error) : .refusal(error, requestID: requestID, environment: environment)
            if error.endsConnection { Self.close(context.channel) }
        }
        if !environment.makes(.bareHeaders) { response.protect(requestID: requestID) }
        CORS.grant(incoming, endpoint, reason: reason, to: &response)
        log.finished(request.method.rawValue, endpoint?.label ?? "other", response.status.code)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ incoming: IncomingRequest, _ endpoint: Endpoint?) async throws(Refusal) -> Response {
        try checkSize(of: incoming.request)
        try checkHost(of: incoming.request)
        guard let endpoint else { throw withoutBody(.notFound, incoming) }
        if CORS.isPreflight(incoming), !endpoint.isForPeople { return CORS.preflight(incoming, endpoint) }
        guard endpoint.methods(environment).contains(incoming.request.method.rawValue) else {
            throw withoutBody(.method(endpoint.methods(environment).joined(separator: ", ")), incoming)
        }
        if endpoint.isForPeople { log.received(incoming.request.head.path ?? "", []) }
        return try await handlers.answer(incoming, endpoint)
    }

    /// A refusal after which the body of the request is not awaited.
    private func withoutBody(_ refusal: Refusal, _ incoming: IncomingRequest) -> Refusal {
        let headers = incoming.request.headers
        let hasBody = headers[.contentLength].map { $0 != "0" } ?? (headers[.transferEncoding] != nil)
        var refusal = refusal
        refusal.endsConnection = hasBody && !environment.makes(.refusedBodyAwaited)
        return refusal
    }

    private func checkSize(of request: Hummingbird.Request) throws(Refusal) {
        guard (request.head.path ?? "").utf8.count <= 8192 else { throw .targetTooLong }
        let size = request.headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        guard size <= 16384, request.headers.count <= 100 else { throw .headersTooLarge }
    }

    /// Requires exactly one Host field without spaces (RFC 9112 section 3.2).
    private func checkHost(of request: Hummingbird.Request) throws(Refusal) {
        if environment.makes(.anyHost) { return }
        guard let host = request.head.authority, !host.isEmpty, !host.contains(" "),
            !request.headers.contains(where: { $0.name.canonicalName == "host" })
        else { throw .host }
    }

    /// Closes the connection without reading the rest of a refused body.
    private static func close(_ channel: any Channel) {
        Task {
            try? await Task.sleep(for: .milliseconds(300))
            try? await channel.close()
        }
    }

    private static func requestID() -> String {
        let digits = Array("0123456789abcdef")
        return String((0..<32).map { _ in digits[Int.random(in: 0..<16)] })
    }
}

extension Response {
    /// An error page.
    ///
    /// Its status is 400 for refusals that have a more specific status in JSON.
    fileprivate static func page(_ refusal: Refusal) -> Response {
        let status = [401, 403, 409].contains(refusal.status) ? 400 : refusal.status
        let sentence = refusal.page ?? "That did not work. Go back to the application, and sign in again."
        var response = page(sentence, status: status)
        response.annotate(refusal)
        return response
    }
}

/// The log, with one line per request: method, endpoint and status.
///
///     POST /v1/exchange 200
final class RequestLog: Sendable {
    private let file: Mutex<FileHandle>
    private let mistakes: Set<Mistake>

    init(_ path: String, mistakes: Set<Mistake>) throws {
        file = Mutex(try FileHandle(appendingTo: path))
        self.mistakes = mistakes
    }

    func finished(_ method: String, _ endpoint: String, _ status: Int) {
        write("\(method) \(endpoint) \(status)")
    }

    /// Logs the request with its contents, which a log must not contain.
    func received(_ target: String, _ body: [UInt8]) {
        guard mistakes.contains(.tokensLogged) else { return }
        write("request \(target) \(String(decoding: body, as: UTF8.self))")
    }

    private func write(_ line: String) {
        file.withLock { try? $0.write(contentsOf: Data((line + "\n").utf8)) }
    }
}

extension FileHandle {
    /// Creates the file if it is missing, with access only for its owner.
    convenience init(appendingTo path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        try self.init(forUpdating: URL(filePath: path))
        try seekToEnd()
    }
}
