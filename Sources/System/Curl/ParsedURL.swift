internal import CCurl
internal import Transport

/// The sole owner of a `CURLU` handle: a URL taken apart by the parser that will also dial it.
@safe
struct ParsedURL: ~Copyable {
    private let handle: OpaquePointer

    /// - Throws: `TransportError.refusedURL` unless the URL is absolute, with a scheme that libcurl knows.
    init(_ url: String) throws(TransportError) {
        unsafe handle = try Self.parse(url)
    }

    deinit { unsafe curl_url_cleanup(handle) }

    private static func parse(_ url: String) throws(TransportError) -> OpaquePointer {
        guard let handle = unsafe curl_url() else { throw .refusedURL }
        guard unsafe curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK else {
            unsafe curl_url_cleanup(handle)
            throw .refusedURL
        }
        return unsafe handle
    }

    /// A part in normal form: numbers of IPv4 in their dotted spelling, the port even where the scheme implies it.
    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        // curl_url_get(3): "The returned part pointer must be freed with curl_free(3) after use."
        guard unsafe curl_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text = unsafe text
        else {
            return nil
        }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
