internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension RequestBody {
    /// The whole body.
    ///
    /// A body that does not end in time ends with its connection, see ``ConnectionDeadlines``.
    static func collect(_ request: Request, upTo limit: Int) async throws(RequestError) -> [UInt8] {
        // Whoever announces too much is told so at once, and not when it has come.
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }), announced > limit {
            throw .bodyTooLarge
        }
        do {
            return Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw .bodyTooLarge
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw .bodyTooLarge
        } catch {
            // The connection ended within the body; nobody reads this answer.
            throw .malformedBody
        }
    }
}
