internal import CCurl

/// The sole owner of a `CURLM` handle, with its connections.
///
/// libcurl-thread(3): "You must never share the same handle in multiple threads." Only the engine's thread uses it,
/// except for ``wakeUp()``.
@safe
final class MultiHandle: @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer

    init() throws(CurlError) {
        // curl_multi_init(3): "If this function returns NULL, something went wrong".
        guard let handle = unsafe curl_multi_init() else { throw .initializationFailed }
        unsafe pointer = handle
        // By default the cache shrinks to four connections per transfer in progress, so that few connections would be
        // left for reuse after a moment with few transfers.
        _ = unsafe curl_multi_setopt_long(pointer, CURLMOPT_MAXCONNECTS, 512)
        // One call at a time per connection, also with HTTP/2. A peer that closes a connection refuses the streams that
        // it has not begun (RFC 9113 §6.8). libcurl would send them again, which must not happen to a POST.
        _ = unsafe curl_multi_setopt_long(pointer, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    }

    // curl_multi_cleanup(3): "should be called when all easy handles are removed". The engine has removed them.
    deinit { unsafe curl_multi_cleanup(pointer) }

    /// Ends the poll that is in progress, or the next one.
    ///
    /// curl_multi_wakeup(3): "can be called from any thread".
    func wakeUp() {
        _ = unsafe curl_multi_wakeup(pointer)
    }

    func add(_ handle: borrowing EasyHandle) -> Bool {
        unsafe curl_multi_add_handle(pointer, handle.pointer) == CURLM_OK
    }

    /// Removes a handle.
    ///
    /// This also ends a transfer in progress: curl_multi_remove_handle(3), "perfectly legal and will effectively halt
    /// the transfer in progress involving that easy handle".
    func remove(_ handle: borrowing EasyHandle) {
        _ = unsafe curl_multi_remove_handle(pointer, handle.pointer)
    }

    /// Does all work that needs no waiting.
    ///
    /// - Returns: `false` if the handle itself is broken.
    func perform() -> Bool {
        var running: Int32 = 0
        return unsafe curl_multi_perform(pointer, &running) == CURLM_OK
    }

    /// Waits for a socket, a timer of libcurl, or a wake-up.
    ///
    /// - Returns: `false` if the handle itself is broken.
    func poll(milliseconds: Int) -> Bool {
        unsafe curl_multi_poll(pointer, nil, 0, Int32(clamping: milliseconds), nil) == CURLM_OK
    }

    /// Returns a finished transfer, by the address of its handle.
    ///
    /// Each one is returned once.
    func nextFinished() -> (address: UInt, code: CURLcode)? {
        var remaining: Int32 = 0
        while let message = unsafe curl_multi_info_read(pointer, &remaining) {
            // curl_multi_info_read(3): "The data the returned pointer points to will not survive calling
            // curl_multi_cleanup, curl_multi_remove_handle or curl_easy_cleanup". It is copied immediately.
            guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle else {
                continue
            }
            return unsafe (UInt(bitPattern: handle), message.pointee.data.result)
        }
        return nil
    }
}
