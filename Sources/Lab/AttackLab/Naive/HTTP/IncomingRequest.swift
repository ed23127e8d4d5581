internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// One request with path and query of its target, not decoded.
struct IncomingRequest: Sendable {
    let request: Hummingbird.Request
    let path: String
    /// The text after the question mark.
    let query: String?
    let log: RequestLog
    let environment: BackendEnvironment

    init(_ request: Hummingbird.Request, log: RequestLog, environment: BackendEnvironment) {
        self.request = request
        let target = request.head.path ?? ""
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = halves.first.map(String.init) ?? ""
        query = halves.count == 2 ? String(halves[1]) : nil
        self.log = log
        self.environment = environment
    }

    static let bodyBytes = 64 * 1024

    /// Reads the whole body, up to 64 KiB.
    func body() async throws(Refusal) -> [UInt8] {
        let limit = environment.makes(.unboundedBody) ? Int.max : Self.bodyBytes
        do {
            let bytes = Array(try await request.body.collect(upTo: limit).readableBytesView)
            log.received(request.head.path ?? "", bytes)
            return bytes
        } catch is NIOTooManyBytesError {
            throw .bodyTooLarge
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw .bodyTooLarge
        } catch {
            throw .malformedBody
        }
    }

    /// Refuses compressed bodies and every media type except this one, which may have charset=utf-8.
    func expect(_ mediaType: String) throws(Refusal) {
        let field = (request.headers[.contentType] ?? "").lowercased().filter { $0 != " " && $0 != "\t" }
        let spellings = [mediaType, mediaType + ";charset=utf-8", mediaType + ";charset=\"utf-8\""]
        guard spellings.contains(field), request.headers[.contentEncoding] == nil else { throw .mediaType }
    }

    var origin: String? { request.headers[.origin] }

    /// Refuses a web page whose origin is not registered for the client.
    func checkOrigin(of client: Client?) throws(Refusal) {
        if environment.makes(.anyOrigin) { return }
        guard let origin, let client else { return }
        guard client.origins.contains(origin) else { throw .originNotAllowed }
    }
}
