import Foundation
import Standards

/// A redirect URI, and the registered ones on the further lines.
enum RedirectURITarget {
    private static let registered = [
        "https://app.example/callback", "com.example.app:/oauth", "http://127.0.0.1/callback", "http://[::1]/callback",
        "http://localhost/callback", "http://127.0.0.1", "http://[::1]?a=b",
    ]

    static func check(_ input: [UInt8]) {
        let lines = Input(input, parts: 4)
        guard let candidate = lines.text(0) else { return }
        check(candidate, among: registered)
        check(candidate, among: (1..<4).compactMap(lines.text).filter { !$0.isEmpty })
    }

    private static func check(_ candidate: String, among registered: [String]) {
        for entry in registered {
            let matches = RedirectURI.isRegistered(candidate, among: [entry])
            demand(matches == RedirectURI.isRegistered(entry, among: [candidate]), "matching is symmetric")
            guard matches, !areSame(candidate, entry) else { continue }
            demand(withoutPort(candidate) == withoutPort(entry), "only the port differs")
            demand(withoutPort(candidate) != nil, "only loopback addresses match without being equal")
            demand(!RedirectURI.isClaimedHTTPS(candidate), "the port counts if the scheme is https")
            if let host = URLComponents(string: candidate)?.host {
                demand(
                    ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host),
                    "another reader finds loopback as well: \(host)")
            }
        }
        demand(
            RedirectURI.isRegistered(candidate, among: registered)
                == registered.contains { RedirectURI.isRegistered(candidate, among: [$0]) },
            "a list matches where one of its entries does")
    }

    /// A second implementation of the same rule, from the end of the origin backwards.
    private static func withoutPort(_ uri: String) -> [UInt8]? {
        let octets = Array(uri.utf8)
        let scheme = Array("http://".utf8)
        guard octets.starts(with: scheme) else { return nil }
        let end = octets[scheme.count...].firstIndex { $0 == octet("/") || $0 == octet("?") } ?? octets.endIndex
        var authority = octets[scheme.count..<end]
        if let last = authority.last, (octet("0")...octet("9")).contains(last),
            let colon = authority.lastIndex(of: octet(":")),
            authority[colon...].dropFirst().allSatisfy({ $0 != octet("]") })
        {
            authority = authority[..<colon]
        }
        guard ["127.0.0.1", "[::1]", "localhost"].map({ Array($0.utf8) }).contains(Array(authority)) else { return nil }
        return Array(authority) + Array(octets[end...])
    }
}
