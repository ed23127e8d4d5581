internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension RequestBody {
    /// The whole body, during whose arrival the request holds no place among those that are worked on.
    ///
    /// A body that does not end in time ends with its connection, see ``ConnectionDeadlines``.
    static func collect(_ incoming: IncomingRequest, upTo limit: Int) async throws(RequestError) -> [UInt8] {
        // A client that announces too much is told so at once, and not when it has come.
        if let announced = incoming.request.headers[.contentLength].flatMap({ Int($0) }), announced > limit {
            throw .bodyTooLarge
        }
        return try await incoming.admission.whileReceiving { () async throws(RequestError) in
            try await collect(incoming.request.body, upTo: limit)
        }
    }

    private static func collect(_ body: RequestBody, upTo limit: Int) async throws(RequestError) -> [UInt8] {
        do {
            return Array(try await body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw .bodyTooLarge
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw .bodyTooLarge
        } catch {
            // The connection ended within the body: this answer is not read.
            throw .malformedBody
        }
    }
}
