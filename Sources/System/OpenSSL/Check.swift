/// For calls that return 1 for success.
func check(_ function: String, _ result: CInt) throws(OpenSSLError) {
    guard result == 1 else { throw .drainingQueue(function) }
}

/// For calls that return a pointer, or null for failure.
func check(_ function: String, _ pointer: OpaquePointer?) throws(OpenSSLError) -> OpaquePointer {
    guard let pointer = unsafe pointer else { throw .drainingQueue(function) }
    return unsafe pointer
}
