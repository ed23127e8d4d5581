internal import CZlib

/// The content codings of a response (RFC 9110 §8.4), which this program decodes instead of libcurl.
///
/// libcurl gives up a response whose `Content-Encoding` names a coding that it does not know. Some servers write a character set
/// there, such as `UTF-8`, and do not code the body.
enum ContentCoding {
    enum Fault: Error {
        case tooLarge, undecodable
    }

    /// The maximum number of codings of one body: each of them costs a pass over the body.
    private static let maximumCount = 5

    /// Decodes the body of a response.
    ///
    /// A coding that is not known is skipped, and so is gzip for a body without its first octets: what is not the expected
    /// document after that, the reader of the document refuses.
    ///
    /// - Parameters:
    ///   - body: The body as it was received.
    ///   - fields: The values of `Content-Encoding`, in their order.
    ///   - maximumBytes: The maximum size after each coding.
    /// - Returns: The decoded body.
    /// - Throws: The reason why the body cannot be decoded.
    static func decode(_ body: [UInt8], _ fields: [String], maximumBytes: Int) throws(Fault) -> [UInt8] {
        let names = fields.flatMap { $0.split(separator: ",") }.map { $0.filter { !$0.isWhitespace }.lowercased() }
        let codings = names.filter { ["gzip", "x-gzip", "deflate"].contains($0) }
        guard codings.count <= maximumCount else { throw .undecodable }
        var decoded = body
        // RFC 9110 §8.4: the codings are listed in the order in which they were applied.
        for coding in codings.reversed() where !decoded.isEmpty {
            let isGzip = decoded.starts(with: [0x1F, 0x8B])
            guard coding == "deflate" || isGzip else { continue }
            let format: InflateStream.Format = coding != "deflate" ? .gzip : decoded.isZlib ? .zlib : .raw
            guard let stream = InflateStream(format) else { throw .undecodable }
            decoded = try stream.inflate(decoded, maximumBytes: maximumBytes)
        }
        return decoded
    }
}

extension [UInt8] {
    /// Whether the octets begin like the format of RFC 1950 §2.2.
    ///
    /// `deflate` is that format (RFC 9110 §8.4.1.2). Some servers send the data of RFC 1951 without it.
    fileprivate var isZlib: Bool {
        count >= 2 && self[0] & 0x0F == 8 && (Int(self[0]) << 8 | Int(self[1])).isMultiple(of: 31)
    }
}

/// The sole owner of one `z_stream`, which decompresses one body.
@safe
private struct InflateStream: ~Copyable {
    /// The values of `windowBits` in zlib.h: "Add 16 to decode only the gzip format", and "windowBits can also be -8..-15 for raw
    /// inflate".
    enum Format: Int32 {
        case zlib = 15
        case gzip = 31
        case raw = -15
    }

    // zlib keeps the address of the stream, so that the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    init?(_ format: Format) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe czlib_inflate_init(stream, format.rawValue) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
        unsafe self.stream = stream
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decompresses a whole body; what stands behind the end of the stream is ignored, as libcurl does.
    borrowing func inflate(_ body: [UInt8], maximumBytes: Int) throws(ContentCoding.Fault) -> [UInt8] {
        var decoded: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 * 1024)
        var position = 0
        while true {
            let (status, read, written) = step(body, from: position, into: &part)
            guard written <= maximumBytes - decoded.count else { throw .tooLarge }
            decoded += part[..<written]
            position += read
            if status == Z_STREAM_END { return decoded }
            // Z_BUF_ERROR, "no progress is possible": the body is cut off.
            guard status == Z_OK, read + written > 0 else { throw .undecodable }
        }
    }

    /// Decompresses as much as fits into `part`.
    private borrowing func step(
        _ body: [UInt8], from position: Int, into part: inout [UInt8]
    ) -> (status: Int32, read: Int, written: Int) {
        let (available, room) = (body.count - position, part.count)
        return unsafe body.withUnsafeBufferPointer { input in
            unsafe part.withUnsafeMutableBufferPointer { output in
                // zlib.h declares the input without const, and does not write to it.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: input.baseAddress?.advanced(by: position))
                unsafe stream.pointee.avail_in = UInt32(available)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(room)
                let status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                return (
                    status, available - Int(unsafe stream.pointee.avail_in), room - Int(unsafe stream.pointee.avail_out)
                )
            }
        }
    }
}
