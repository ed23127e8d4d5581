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

    /// Compares a redirect URI with the most similar one of others.
    ///
    /// - Parameter anyLoopbackPort: Whether the port of a loopback address may differ, as in ``isRegistered(_:among:)``.
    /// - Returns: The other URI, and the names of the parts that differ; never their text, which may be a credential. `nil`
    ///   without another URI, or if no part differs.
    package static func difference(
        of candidate: String, from others: [String], anyLoopbackPort: Bool
    ) -> (other: String, parts: String)? {
        let parts = URIParts(candidate)
        let differences = others.map { other in
            (other: other, parts: parts.differences(from: URIParts(other), anyLoopbackPort: anyLoopbackPort))
        }
        guard let nearest = differences.min(by: { $0.parts.count < $1.parts.count }), !nearest.parts.isEmpty
        else { return nil }
        return (nearest.other, nearest.parts.joined(separator: ", "))
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

    /// Returns origin and path of `http://127.0.0.1:{port}/path`, without the port; the host may also be `[::1]` or
    /// `localhost`.
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
            guard rest.first == UInt8(ascii: "/") else { return nil }
            // The result is octets, because `==` of strings treats KELVIN SIGN and the letter K as equal.
            return [Array(origin.utf8), Array(rest)]
        }
        return nil
    }
}

/// The parts of a URI (RFC 3986 §3) as they are written; `nil` or empty if there is none.
private struct URIParts {
    private let scheme: [UInt8]?
    private let userInfo: [UInt8]?
    private let host: [UInt8]?
    private let port: [UInt8]?
    private let path: [UInt8]
    private let query: [UInt8]?
    private let fragment: [UInt8]?

    init(_ uri: String) {
        var rest = Array(uri.utf8)[...]
        fragment = Self.removeEnd(of: &rest, after: UInt8(ascii: "#"))
        query = Self.removeEnd(of: &rest, after: UInt8(ascii: "?"))
        scheme = Self.removeStart(of: &rest, before: rest.prefix { $0 != UInt8(ascii: "/") }.firstIndex(of: Self.colon))
        guard rest.starts(with: "//".utf8) else {
            (userInfo, host, port, path) = (nil, nil, nil, Array(rest))
            return
        }
        var authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        path = Array(rest[authority.endIndex...])
        userInfo = Self.removeStart(of: &authority, before: authority.lastIndex(of: UInt8(ascii: "@")))
        // The colons of an IPv6 address are in brackets.
        let end = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        let hasPort = authority[end...].contains(Self.colon)
        port = hasPort ? Self.removeEnd(of: &authority, after: Self.colon, last: true) : nil
        host = Array(authority)
    }

    private static let colon = UInt8(ascii: ":")

    private static func removeStart(of text: inout ArraySlice<UInt8>, before mark: Int?) -> [UInt8]? {
        guard let mark else { return nil }
        let start = Array(text[..<mark])
        text = text[(mark + 1)...]
        return start
    }

    private static func removeEnd(
        of text: inout ArraySlice<UInt8>, after mark: UInt8, last: Bool = false
    ) -> [UInt8]? {
        guard let index = last ? text.lastIndex(of: mark) : text.firstIndex(of: mark) else { return nil }
        let end = Array(text[(index + 1)...])
        text = text[..<index]
        return end
    }

    /// What these parts have that those of another URI have not, or the other way round, in the order of a URI.
    func differences(from other: Self, anyLoopbackPort: Bool) -> [String] {
        let ofPort =
            anyLoopbackPort && other.isLoopback
            ? differenceOfLoopbackPort : Self.difference("port", port, other.port)
        return [
            Self.difference("scheme", scheme, other.scheme), Self.difference("userinfo", userInfo, other.userInfo),
            Self.difference("host", host, other.host), ofPort, differenceOfPath(from: other),
            Self.difference("query", query, other.query), Self.difference("fragment", fragment, other.fragment),
        ].compactMap(\.self)
    }

    private var isLoopback: Bool {
        let hosts = ["127.0.0.1", "[::1]", "localhost"]
        return scheme.map { Array("http".utf8) == $0 } == true && hosts.contains { Array($0.utf8) == host }
    }

    private var differenceOfLoopbackPort: String? {
        guard let port else { return nil }
        let isPort = (1...5).contains(port.count) && port.allSatisfy { (0x30...0x39).contains($0) }
        let number = isPort ? Int(String(decoding: port, as: UTF8.self)) ?? 0 : 0
        return (1...65535).contains(number) ? nil : "a port that is none from 1 to 65535"
    }

    private func differenceOfPath(from other: Self) -> String? {
        let slash = [UInt8(ascii: "/")]
        if path == other.path + slash { return "an additional slash at the end of the path" }
        if path + slash == other.path { return "no slash at the end of the path" }
        if !other.path.isEmpty, path.count > other.path.count, path.starts(with: other.path) {
            return "an additional text at the end of the path"
        }
        return Self.difference("path", path.isEmpty ? nil : path, other.path.isEmpty ? nil : other.path)
    }

    private static func difference(_ name: String, _ own: [UInt8]?, _ other: [UInt8]?) -> String? {
        guard let own else { return other.map { _ in "no \(name)" } }
        guard let other else { return "an additional \(name)" }
        guard own != other else { return nil }
        let isOfCase = [own, other].map { String(decoding: $0, as: UTF8.self).lowercased() }
        return isOfCase[0] == isOfCase[1] ? "letters of another case in the \(name)" : "another \(name)"
    }
}
