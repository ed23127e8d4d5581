internal import Octets

/// How a redirect URI is compared with the registered ones.
package enum RedirectURI {
    /// Whether `candidate` is one of `registered`: octet for octet (RFC 9700 §2.1), but for the port of a loopback
    /// address, which the application learns only when it runs (RFC 8252 §7.3).
    package static func isRegistered(_ candidate: String, among registered: [String]) -> Bool {
        registered.contains { entry in
            if entry.exactlyEquals(candidate) { return true }
            guard let entry = loopback(entry), let candidate = loopback(candidate) else { return false }
            return entry == candidate
        }
    }

    /// Whether no other program on a device can claim it: any program can claim a private-use scheme or a loopback port (RFC 8252
    /// §8.6).
    package static func isClaimedHTTPS(_ uri: String) -> Bool { uri.utf8.starts(with: "https://".utf8) }

    /// What remains of `http://127.0.0.1:{port}/path` or `http://[::1]:{port}/path` once the port is taken out.
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
            // As octets: Swift's equality of strings would take "K" (KELVIN SIGN) for "K".
            return [Array(origin.utf8), Array(rest)]
        }
        return nil
    }
}
