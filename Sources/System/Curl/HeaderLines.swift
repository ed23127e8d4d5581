internal import CCurl
internal import Transport

/// The sole owner of a `curl_slist` of header lines.
@safe
struct HeaderLines: ~Copyable {
    let first: UnsafeMutablePointer<curl_slist>?

    /// The caller's fields as they are, and what keeps libcurl from adding its own.
    ///
    /// ``FieldRule`` has checked them before.
    init(_ header: [HeaderField]) throws(CurlError) {
        // CURLOPT_HTTPHEADER(3): "If you add a header with no content as in 'Accept:' (no data on the right side of the
        // colon), the internally used header will get disabled", and "To add a header with no content (nothing to
        // the right side of the colon), use the form 'name;'".
        var lines = header.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // A body is sent along at once; waiting for "100 Continue" only costs time.
        lines.append("Expect:")
        if !header.contains(where: { $0.name.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        unsafe first = try Self.list(lines)
    }

    deinit { unsafe curl_slist_free_all(first) }

    private static func list(_ lines: [String]) throws(CurlError) -> UnsafeMutablePointer<curl_slist>? {
        var first: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            // curl_slist_append(3): "copies the string", and "a null pointer is returned if anything went wrong": the
            // old list is then ours still.
            guard let longer = unsafe curl_slist_append(first, line) else {
                unsafe curl_slist_free_all(first)
                throw .initializationFailed
            }
            unsafe first = longer
        }
        return unsafe first
    }
}
