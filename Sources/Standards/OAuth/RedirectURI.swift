internal import Octets

/// The comparison of a redirect URI with the registered ones.
package enum RedirectURI {
    /// Returns whether `candidate` equals one of `registered`, octet for octet (RFC 9700 §2.1).
    ///
    /// The port of a loopback address may differ, because an application learns its port when it runs (RFC 8252 §7.3).
    package static func isRegistered(_ candidate: String, among registered: [String]) -> Bool {
        registered.contains { entry in
            if entry.exactlyEquals(candidate) { return true }
            guard let entry = loopback(entry), let candidate = loopback(candidate) else { return false }
            return entry == candidate
        }
    }

    /// Returns whether a redirect URI has the scheme `https`, which other programs of the device cannot claim.
    ///
    /// Any program can claim a private-use scheme or a loopback port (RFC 8252 §8.6).
    package static func isClaimedHTTPS(_ uri: String) -> Bool { uri.utf8.starts(with: "https://".utf8) }

    /// Returns origin and path of `http://127.0.0.1:{port}/path` or `http://[::1]:{port}/path`, without the port.
    private static func loopback(_ uri: String) -> [[UInt8]]? {
        for origin in ["http://127.0.0.1", "http://[::1]"] where uri.utf8.starts(with: origin.utf8) {
            var rest = uri.utf8.dropFirst(origin.utf8.count)
            if rest.first == UInt8(ascii: ":") {
                rest = rest.dropFirst()
                let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                guard (1...5).contains(digits.count), let port = Int(String(Substring(digits))),
                    (1...65535).contains(port)
                else { return nil }
                rest = rest.dropFirst(digits.count)
            }
            guard rest.first == UInt8(ascii: "/") else { return nil }
            // The result is octets, because `==` of strings treats KELVIN SIGN and the letter K as equal.
            return [Array(origin.utf8), Array(rest)]
        }
        return nil
    }
}
