internal import HTTPTypes
internal import Hummingbird
internal import Jansson
internal import NIOCore

extension Response {
    static func json(_ content: JSON, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: content.serialized())))
    }

    static func json(octets: [UInt8]) -> Response {
        Response(status: .ok, headers: [.contentType: "application/json"], body: .inPieces(octets))
    }

    /// Adds the header fields of every response, which keep it out of caches, frames and referrers (RFC 6749 §5.1).
    ///
    /// A response that has its own `Cache-Control` keeps it.
    ///
    /// - Parameter strictTransportSecurity: The field of that name, which RFC 6797 §7.2 forbids without TLS.
    mutating func secure(requestID: String, strictTransportSecurity: String? = nil) {
        if headers[.cacheControl] == nil {
            headers[.cacheControl] = "no-store"
            set(Self.pragma, "no-cache")
        }
        headers[.xContentTypeOptions] = "nosniff"
        set(Self.referrerPolicy, "no-referrer")
        if headers[.contentSecurityPolicy] == nil {
            headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        }
        set(Self.requestID, requestID)
        headers[.strictTransportSecurity] = strictTransportSecurity
    }

    private static let pragma = HTTPField.Name("Pragma")
    private static let referrerPolicy = HTTPField.Name("Referrer-Policy")
    private static let requestID = HTTPField.Name("X-Request-Id")

    private mutating func set(_ name: HTTPField.Name?, _ value: String) {
        guard let name else { return }
        headers[name] = value
    }
}

extension ResponseBody {
    /// Makes a body whose octets are copied one piece after the other, when the client has read those before.
    ///
    /// A large body that is written at once would cost its size for each client that does not read.
    static func inPieces(_ octets: [UInt8]) -> ResponseBody {
        let size = 16 * 1024
        return ResponseBody(contentLength: octets.count) { writer in
            for start in stride(from: 0, to: octets.count, by: size) {
                try await writer.write(ByteBuffer(bytes: octets[start..<min(start + size, octets.count)]))
            }
            try await writer.finish(nil)
        }
    }
}
