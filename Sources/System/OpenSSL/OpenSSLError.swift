internal import COpenSSL

/// A failed call of libcrypto, with the content of its error queue.
///
/// The reasons are OpenSSL's own constant texts ("wrong tag"), oldest first; the data that OpenSSL may attach to an
/// error is left out, since it can quote the input.
package struct OpenSSLError: Error, Equatable, Sendable {
    package let function: String
    package let reasons: [String]
}

extension OpenSSLError: CustomStringConvertible {
    package var description: String { ([function + " failed"] + reasons).joined(separator: ": ") }
}

extension OpenSSLError {
    /// The error of the call that has just failed on this thread.
    ///
    /// The queue belongs to the thread and is shared by all users of libcrypto, including libcurl. An entry that stays
    /// in it would be reported as the error of a later call.
    static func drainingQueue(_ function: String) -> Self {
        var reasons: [String] = []
        while true {
            // ERR_get_error: "returns the earliest error code from the thread's error queue and removes the entry."
            let code = ERR_get_error()
            guard code != 0 else { break }
            if let reason = unsafe ERR_reason_error_string(code) {
                unsafe reasons.append(String(cString: reason))
            } else {
                reasons.append("error \(String(code, radix: 16))")
            }
        }
        return Self(function: function, reasons: reasons)
    }
}

/// Whether this thread's error queue is empty.
///
/// Tests of failures check it at their end.
package func errorQueueIsEmpty() -> Bool {
    ERR_peek_error() == 0
}

/// Checks a call that returns 1 for success.
func check(_ function: String, _ result: CInt) throws(OpenSSLError) {
    guard result == 1 else { throw .drainingQueue(function) }
}

/// Checks a call that returns a pointer, or null for failure.
func check(_ function: String, _ pointer: OpaquePointer?) throws(OpenSSLError) -> OpaquePointer {
    guard let pointer = unsafe pointer else { throw .drainingQueue(function) }
    return unsafe pointer
}
