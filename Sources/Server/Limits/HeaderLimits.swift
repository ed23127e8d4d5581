internal import HTTPTypes
internal import Hummingbird

/// The size of what stands before a body.
///
/// The decoder below has limits of its own, somewhat wider, beyond which the connection ends without an answer in JSON.
enum HeaderLimits {
    static func check(_ request: Request, _ limits: ServerLimits) throws(RequestError) {
        guard (request.head.path ?? "").utf8.count <= limits.targetBytes else { throw .uriTooLong }
        let size = request.headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        guard size <= limits.headerBytes, request.headers.count <= limits.headerFields
        else { throw .headersTooLarge }
    }
}
