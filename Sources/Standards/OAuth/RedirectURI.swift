internal import JOSE

/// The comparison of a redirect URI with the registered ones.
package enum RedirectURI {
    /// Returns whether `candidate` equals one of `registered`, octet for octet (RFC 9700 §2.1).
    ///
    /// The port of a loopback address may differ, because an application learns its port when it runs (RFC 8252 §7.3).
    /// The name `localhost` counts as one if it is registered, and never stands for a literal or the other way round.
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

    /// Returns the origin of an `https` or `http` redirect URI as browsers write it: the scheme and the host in lower
    /// case, and the port unless it is the default one (RFC 6454 §6.2).
    ///
    /// - Parameter uri: A redirect URI, which need not be registered.
    /// - Returns: The origin; `nil` for another scheme, and for a host or port with characters that they cannot contain.
    package static func origin(of uri: String) -> String? {
        for (scheme, defaultPort) in [("https://", 443), ("http://", 80)] where uri.utf8.starts(with: scheme.utf8) {
            let authority = uri.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
            let isVersion6 = authority.first == UInt8(ascii: "[")
            let end =
                isVersion6
                ? authority.firstIndex(of: UInt8(ascii: "]")).map(authority.index(after:)) ?? authority.endIndex
                : authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
            let host = authority[..<end]
            let allowed = isVersion6 ? "[]:.0123456789abcdefABCDEF".utf8 : hostCharacters
            guard !host.isEmpty, host.allSatisfy(allowed.contains), !isVersion6 || host.last == UInt8(ascii: "]")
            else { return nil }
            let origin = scheme + String(decoding: host, as: UTF8.self).lowercased()
            let rest = authority[end...]
            guard !rest.isEmpty else { return origin }
            let digits = rest.dropFirst()
            guard rest.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
                digits.allSatisfy("0123456789".utf8.contains),
                let port = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(port)
            else { return nil }
            return port == defaultPort ? origin : "\(origin):\(port)"
        }
        return nil
    }

    private static let hostCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._".utf8

    /// Returns the origin of `http://127.0.0.1:{port}/path?query` without the port, and the octets after the port, which may
    /// be none; the host may also be `[::1]` or `localhost`.
    ///
    /// Another octet than `/` or `?` after the host or the port would extend them, or begin a fragment.
    private static func loopback(_ uri: String) -> [[UInt8]]? {
        for origin in ["http://127.0.0.1", "http://[::1]", "http://localhost"] where uri.utf8.starts(with: origin.utf8)
        {
            var rest = uri.utf8.dropFirst(origin.utf8.count)
            if rest.first == UInt8(ascii: ":") {
                rest = rest.dropFirst()
                let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                guard (1...5).contains(digits.count), let port = Int(String(Substring(digits))),
                    (1...65535).contains(port)
                else { return nil }
                rest = rest.dropFirst(digits.count)
            }
            guard rest.first.map({ "/?".utf8.contains($0) }) ?? true else { return nil }
            // The result is octets, because `==` of strings treats KELVIN SIGN and the letter K as equal.
            return [Array(origin.utf8), Array(rest)]
        }
        return nil
    }
}
