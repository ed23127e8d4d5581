internal import Hummingbird
internal import HTTPTypes
internal import NIOCore

/// Whom a request is counted against.
package struct ClientAddress: Sendable {
    private let trustedProxies: [@Sendable (String) -> Bool]

    /// - Parameter trustedProxies: Whether an address is one of our own proxies, whose `X-Forwarded-For` is believed.
    package init(trustedProxies: [@Sendable (String) -> Bool]) {
        self.trustedProxies = trustedProxies
    }

    /// The address nearest to us that is not a proxy of ours; an IPv6 address by its /64, since whoever has one has all
    /// of it.
    func key(peer: String?, forwardedFor: [String]) -> String {
        guard let peer else { return "unknown" }
        var address = peer
        if isTrusted(peer) {
            let hops = forwardedFor.flatMap { $0.split(separator: ",") }
                .map { $0.trimmingPrefix { $0 == " " } }
                .map { String($0.prefix { $0 != " " }) }
            // The right-most entries were written by our own proxies; whatever stands left of the first foreign one is
            // the sender's own claim.
            address = hops.last { !isTrusted($0) } ?? peer
        }
        return Self.network(of: address)
    }

    private func isTrusted(_ address: String) -> Bool {
        trustedProxies.contains { $0(address) }
    }

    private static func network(of address: String) -> String {
        guard case .v6(let v6) = try? SocketAddress(ipAddress: address, port: 0) else {
            return (try? SocketAddress(ipAddress: address, port: 0))?.ipAddress ?? "unknown"
        }
        return withUnsafeBytes(of: v6.address.sin6_addr) { octets in
            // An IPv4 address in its mapped form (RFC 4291 §2.5.5.2) is that IPv4 address.
            if octets.prefix(10).allSatisfy({ $0 == 0 }), octets[10] == 0xFF, octets[11] == 0xFF {
                return octets.suffix(4).map(String.init).joined(separator: ".")
            }
            return octets.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
        }
    }
}
