extension [String] {
    /// Whether one of these registered redirect URIs is `uri`, character by character.
    ///
    /// A registered `http://127.0.0.1/…` or `http://[::1]/…` without a port matches every port (RFC 8252 §7.3).
    func allows(redirectURI uri: String) -> Bool {
        // Non-ASCII text could equal a registered URI without having its bytes.
        uri.utf8.allSatisfy { $0 < 0x80 }
            && contains { registered in
                if registered == uri { return true }
                for origin in ["http://127.0.0.1", "http://[::1]"] where registered.hasPrefix(origin + "/") {
                    guard uri.hasPrefix(origin + ":") else { continue }
                    let rest = uri.dropFirst(origin.count + 1)
                    let port = rest.prefix { $0.isASCII && $0.isNumber }
                    return UInt16(port) != nil && rest.dropFirst(port.count) == registered.dropFirst(origin.count)
                }
                return false
            }
    }
}
