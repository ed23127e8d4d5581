internal import CCurl
internal import Transport

/// The sole owner of one `CURL` handle.
@safe
struct EasyHandle: ~Copyable {
    let pointer: UnsafeMutableRawPointer

    init() throws(CurlError) {
        // curl_easy_init(3): "If this function returns NULL, something went wrong and you cannot use the other curl
        // functions."
        guard let handle = unsafe curl_easy_init() else { throw .initializationFailed }
        unsafe pointer = handle
    }

    deinit { unsafe curl_easy_cleanup(pointer) }

    /// The address of the handle, which identifies it among the existing handles.
    var address: UInt { unsafe UInt(bitPattern: pointer) }

    /// Resets all options.
    ///
    /// Connections belong to the multi handle and remain open.
    borrowing func reset() {
        unsafe curl_easy_reset(pointer)
    }

    borrowing func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try check(option, unsafe curl_easy_setopt_long(pointer, option, value))
    }

    borrowing func set(_ option: CURLoption, offset value: Int) throws(CurlError) {
        try check(option, unsafe curl_easy_setopt_offset(pointer, option, curl_off_t(value)))
    }

    /// Sets a string option.
    ///
    /// A null string removes a default of the library.
    borrowing func set(_ option: CURLoption, _ value: String?) throws(CurlError) {
        // curl_easy_setopt(3): "Strings passed to libcurl as 'char *' arguments, are copied by the library".
        try check(option, unsafe curl_easy_setopt_string(pointer, option, value))
    }

    /// Sets the body, which libcurl copies.
    ///
    /// The length is set first, so that the body may contain any byte.
    borrowing func set(body: [UInt8]) throws(CurlError) {
        try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: body.count)
        // CURLOPT_COPYPOSTFIELDS(3): "If the size has not been set prior to CURLOPT_COPYPOSTFIELDS(3), the data is
        // assumed to be a null-terminated string". With a null pointer libcurl would read standard input. The
        // additional byte avoids one, and the length excludes it.
        let status = unsafe (body + [0]).withUnsafeBytes { bytes in
            unsafe curl_easy_setopt_pointer(
                pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        try check(CURLOPT_COPYPOSTFIELDS, status)
    }

    /// Sets a list option.
    ///
    /// The caller must keep `lines` alive until the transfer ends.
    borrowing func set(_ option: CURLoption, _ lines: borrowing HeaderLines) throws(CurlError) {
        try check(option, unsafe curl_easy_setopt_lines(pointer, option, lines.first))
    }

    borrowing func information(_ key: CURLINFO) -> Int {
        var value = 0
        // libcurl has this number for every handle, so the call cannot fail.
        _ = unsafe curl_easy_getinfo_long(pointer, key, &value)
        return value
    }

    /// Whether the address of the peer was known, so that a connection was begun or reused.
    ///
    /// CURLINFO_NAMELOOKUP_TIME_T(3): the time "from the start until the name resolving was completed"; 0 before that.
    borrowing func hasAddress() -> Bool {
        var time: curl_off_t = 0
        _ = unsafe curl_easy_getinfo_offset(pointer, CURLINFO_NAMELOOKUP_TIME_T, &time)
        return time > 0
    }

    borrowing func check(_ option: CURLoption, _ status: CURLcode) throws(CurlError) {
        guard status == CURLE_OK else { throw .unsupportedOption(option.rawValue) }
    }
}

extension EasyHandle {
    /// Sets the options that depend only on the configuration and on the scheme.
    ///
    /// Only the given scheme is allowed, which ``Target`` has checked.
    borrowing func setRules(scheme: String, configuration: CurlConfiguration) throws(CurlError) {
        try set(CURLOPT_PROTOCOLS_STR, scheme)
        try set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
        // A redirect would send code and secret to a URL that the peer chooses.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        // CURLOPT_MAXREDIRS(3): "Setting the limit to 0 will make libcurl refuse any redirect"; unlimited by default.
        try set(CURLOPT_MAXREDIRS, 0)
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)

        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))

        // CURLOPT_NOSIGNAL(3): without it, timeouts of name lookups are signals, which threads share.
        try set(CURLOPT_NOSIGNAL, 1)
        // CURLOPT_QUICK_EXIT(3): "This allows for a swift termination after a DNS timeout for example". Otherwise a
        // call that ends during its name lookup would block the thread, and all other calls, until the resolver
        // returns.
        try set(CURLOPT_QUICK_EXIT, 1)

        // Use HTTP/2 if TLS negotiates it, otherwise HTTP/1.1. Alt-Svc, HSTS and cookies stay off unless enabled.
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        try set(CURLOPT_HTTP09_ALLOWED, 0)
        // Some servers compress without being asked. CURLOPT_ACCEPT_ENCODING(3): libcurl decodes the named encodings.
        // ``HeaderLines`` asks for none, and ``Reception`` counts the decoded octets.
        try set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
        try set(CURLOPT_USERAGENT, configuration.userAgent)

        try set(CURLOPT_SSL_VERIFYPEER, 1)
        // CURLOPT_SSL_VERIFYHOST(3): when it is 2, "that certificate must indicate that the server is the server to which
        // you meant to connect, or the connection fails".
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_CAINFO, configuration.effectiveCABundle)
        // libcurl also has a default directory. Without it only the file is used, and is parsed once a day instead of
        // for every connection (CURLOPT_CA_CACHE_TIMEOUT(3)).
        try set(CURLOPT_CAPATH, nil)
    }

    /// Sets the proxy of a call.
    ///
    /// - Parameters:
    ///   - proxy: The proxy; `nil` for a direct connection.
    ///   - lines: The header fields for the proxy, which the caller must keep alive until the transfer ends.
    /// - Throws: `CurlError` if the library lacks an option.
    borrowing func setProxy(_ proxy: OutboundProxy?, _ lines: borrowing HeaderLines) throws(CurlError) {
        // CURLOPT_PROXY(3): "Setting the proxy string to "" (an empty string) will explicitly disable the use of a
        // proxy, even if there is an environment variable set for it."
        try set(CURLOPT_PROXY, proxy.map { "http://\($0.address)" } ?? "")
        // CURLOPT_NOPROXY(3): "Setting the noproxy string to "" (an empty string) will explicitly enable the proxy for all
        // host names, even if there is an environment variable set for it."
        try set(CURLOPT_NOPROXY, "")
        // The proxy only connects (RFC 9110 §9.3.6), so that TLS is verified from end to end.
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
        // Releases of libcurl differ in whether they decode percent signs in CURLOPT_PROXYUSERNAME.
        try set(CURLOPT_PROXYHEADER, lines)
        // The header fields of a request contain credentials, and are not for the proxy.
        try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        // Otherwise the header of the proxy's response would count as that of the peer.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }

    /// Sets the limits for the time of a call and the size of its response.
    borrowing func setLimits(
        within remaining: Duration, bodyBytes: Int, configuration: CurlConfiguration
    ) throws(CurlError) {
        try set(CURLOPT_TIMEOUT_MS, remaining.atLeastOneMillisecond)
        let connectTimeout = min(configuration.connectTimeout(remaining), remaining)
        try set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeout.atLeastOneMillisecond)
        // A larger declared length ends the call early. ``Reception`` counts a body without a declared length.
        try set(CURLOPT_MAXFILESIZE_LARGE, offset: max(0, bodyBytes))
        try set(CURLOPT_MAXLIFETIME_CONN, configuration.connectionLifetime.atLeastOneSecond)
        try set(CURLOPT_MAXAGE_CONN, configuration.idleLifetime.atLeastOneSecond)
    }
}

extension EasyHandle {
    /// Makes libcurl deliver the response to `reception`, which the caller must keep alive until the transfer ends.
    ///
    /// Errors cannot be thrown through C: the reception records a refusal, and the callback returns a value that stops
    /// libcurl.
    borrowing func deliver(to reception: Reception) throws(CurlError) {
        let user = unsafe Unmanaged.passUnretained(reception).toOpaque()

        // CURLOPT_HEADERFUNCTION(3): "gets called by libcurl as soon as it has received header data. The header
        // callback will be called once for each header and only complete header lines are passed on to the callback."
        let header: curl_write_callback = { bytes, size, count, user in
            guard let bytes = unsafe bytes, let user = unsafe user else { return 0 }
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            let reception = unsafe Unmanaged<Reception>.fromOpaque(user).takeUnretainedValue()
            guard unsafe reception.take(headerLine: line) else { return refusal(size * count) }
            if reception.namesNoCoding, let handle = unsafe reception.handle {
                // libcurl refuses a body whose coding it does not know. CURLOPT_HTTP_CONTENT_DECODING(3): then it passes the
                // octets on as they are.
                _ = unsafe curl_easy_setopt_long(handle, CURLOPT_HTTP_CONTENT_DECODING, 0)
            }
            return size * count
        }
        unsafe reception.handle = pointer
        try check(CURLOPT_HEADERFUNCTION, unsafe curl_easy_setopt_write(pointer, CURLOPT_HEADERFUNCTION, header))
        try check(CURLOPT_HEADERDATA, unsafe curl_easy_setopt_pointer(pointer, CURLOPT_HEADERDATA, user))

        // CURLOPT_WRITEFUNCTION(3): "If that amount differs from the amount passed to your callback function, it will
        // signal an error condition to the library."
        let body: curl_write_callback = { bytes, size, count, user in
            guard let bytes = unsafe bytes, let user = unsafe user else { return 0 }
            let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            let reception = unsafe Unmanaged<Reception>.fromOpaque(user).takeUnretainedValue()
            return unsafe reception.take(body: part) ? size * count : refusal(size * count)
        }
        try check(CURLOPT_WRITEFUNCTION, unsafe curl_easy_setopt_write(pointer, CURLOPT_WRITEFUNCTION, body))
        try check(CURLOPT_WRITEDATA, unsafe curl_easy_setopt_pointer(pointer, CURLOPT_WRITEDATA, user))

        // CURLOPT_PREREQFUNCTION(3): called "after a connection has been established or a connection has been reused
        // (including any SSL handshaking), but before any request is actually made on the connection".
        let announcement: curl_prereq_callback = { user, _, _, _, _ in
            guard let user = unsafe user else { return CURL_PREREQFUNC_ABORT }
            let reception = unsafe Unmanaged<Reception>.fromOpaque(user).takeUnretainedValue()
            return reception.announceRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        try check(
            CURLOPT_PREREQFUNCTION, unsafe curl_easy_setopt_prereq(pointer, CURLOPT_PREREQFUNCTION, announcement))
        try check(CURLOPT_PREREQDATA, unsafe curl_easy_setopt_pointer(pointer, CURLOPT_PREREQDATA, user))
    }
}

/// A byte count that differs from the given one and from `CURL_WRITEFUNC_PAUSE`, which aborts the transfer.
private func refusal(_ given: Int) -> Int {
    given == 0 ? 1 : 0
}

/// The sole owner of a `curl_slist` of header lines.
@safe
struct HeaderLines: ~Copyable {
    let first: UnsafeMutablePointer<curl_slist>?

    /// Makes a list of the caller's fields, and of lines that prevent libcurl from adding its own.
    ///
    /// ``FieldRule`` has checked the fields.
    init(_ header: [HeaderField]) throws(CurlError) {
        // CURLOPT_HTTPHEADER(3): "If you add a header with no content as in 'Accept:' (no data on the right side of the
        // colon), the internally used header will get disabled", and "To add a header with no content (nothing to
        // the right side of the colon), use the form 'name;'".
        var lines = header.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // The body is sent immediately, without waiting for "100 Continue".
        lines.append("Expect:")
        // It replaces the list that libcurl would send (RFC 9110 §12.5.3).
        lines.append("Accept-Encoding: identity")
        if !header.contains(where: { $0.name.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        unsafe first = try Self.list(lines)
    }

    /// Makes the list of the fields for a proxy; an empty one for a direct connection.
    init(for proxy: OutboundProxy?) throws(CurlError) {
        unsafe first = try Self.list(proxy?.authorization.map { ["Proxy-Authorization: \($0)"] } ?? [])
    }

    deinit { unsafe curl_slist_free_all(first) }

    private static func list(_ lines: [String]) throws(CurlError) -> UnsafeMutablePointer<curl_slist>? {
        var first: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            // curl_slist_append(3): "copies the string", and "a null pointer is returned if anything went wrong". The
            // old list must then be freed here.
            guard let longer = unsafe curl_slist_append(first, line) else {
                unsafe curl_slist_free_all(first)
                throw .initializationFailed
            }
            unsafe first = longer
        }
        return unsafe first
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up and at least one, since zero means "no limit" to libcurl.
    var atLeastOneMillisecond: Int {
        let (seconds, attoseconds) = components
        let milliseconds = Int(clamping: seconds).multipliedReportingOverflow(by: 1000)
        guard !milliseconds.overflow else { return seconds < 0 ? 1 : Int(Int32.max) }
        let part = Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return min(max(1, milliseconds.partialValue.addingReportingOverflow(part).partialValue), Int(Int32.max))
    }

    /// The duration in whole seconds, at least one.
    var atLeastOneSecond: Int {
        min(max(1, Int(clamping: components.seconds)), Int(Int32.max))
    }
}
