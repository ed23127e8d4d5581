internal import CCurl

extension EasyHandle {
    /// Has libcurl deliver to `reception`, which the caller keeps alive until the transfer is over.
    ///
    /// Nothing may be thrown through C: a refusal is kept in the reception, and the callback answers what stops libcurl.
    borrowing func deliver(to reception: Reception) throws(CurlError) {
        let user = unsafe Unmanaged.passUnretained(reception).toOpaque()

        // CURLOPT_HEADERFUNCTION(3): "gets called by libcurl as soon as it has received header data. The header
        // callback will be called once for each header and only complete header lines are passed on to the callback."
        let header: curl_write_callback = { bytes, size, count, user in
            guard let bytes = unsafe bytes, let user = unsafe user else { return 0 }
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            let reception = unsafe Unmanaged<Reception>.fromOpaque(user).takeUnretainedValue()
            return unsafe reception.take(headerLine: line) ? size * count : refusal(size * count)
        }
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

/// A number of bytes taken that differs from the number given, and from `CURL_WRITEFUNC_PAUSE`.
private func refusal(_ given: Int) -> Int {
    given == 0 ? 1 : 0
}
