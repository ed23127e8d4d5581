internal import CCurl

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

    /// Tells this handle from the others that are alive.
    var address: UInt { unsafe UInt(bitPattern: pointer) }

    /// Forgets all options.
    ///
    /// The handle is then as new; live connections belong to the multi handle and stay.
    borrowing func reset() {
        unsafe curl_easy_reset(pointer)
    }

    borrowing func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try check(option, unsafe curl_easy_setopt_long(pointer, option, value))
    }

    borrowing func set(_ option: CURLoption, offset value: Int) throws(CurlError) {
        try check(option, unsafe curl_easy_setopt_offset(pointer, option, curl_off_t(value)))
    }

    /// A null string takes a default away that was built into the library.
    borrowing func set(_ option: CURLoption, _ value: String?) throws(CurlError) {
        // curl_easy_setopt(3): "Strings passed to libcurl as 'char *' arguments, are copied by the library".
        try check(option, unsafe curl_easy_setopt_string(pointer, option, value))
    }

    /// Has libcurl copy `body`, with its length said first, so that it may hold any byte.
    borrowing func set(body: [UInt8]) throws(CurlError) {
        try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: body.count)
        // CURLOPT_COPYPOSTFIELDS(3): "If the size has not been set prior to CURLOPT_COPYPOSTFIELDS(3), the data is
        // assumed to be a null-terminated string". A null pointer would have it read standard input, hence one byte
        // too many, which the length leaves out.
        let status = unsafe (body + [0]).withUnsafeBytes { bytes in
            unsafe curl_easy_setopt_pointer(
                pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        try check(CURLOPT_COPYPOSTFIELDS, status)
    }

    /// The caller keeps `lines` alive until the transfer is over.
    borrowing func set(_ option: CURLoption, _ lines: borrowing HeaderLines) throws(CurlError) {
        try check(option, unsafe curl_easy_setopt_lines(pointer, option, lines.first))
    }

    borrowing func information(_ key: CURLINFO) -> Int {
        var value = 0
        // A number that libcurl knows of every handle: asking for it cannot fail.
        _ = unsafe curl_easy_getinfo_long(pointer, key, &value)
        return value
    }

    borrowing func check(_ option: CURLoption, _ status: CURLcode) throws(CurlError) {
        guard status == CURLE_OK else { throw .unsupportedOption(option.rawValue) }
    }
}
