/// Whom a request is counted against.
package struct ClientAddress: Sendable {
    /// 4 or 16 octets in network order; nil for what is no address.
    package typealias Parse = @Sendable (String) -> [UInt8]?

    private let parse: Parse
    private let isTrusted: @Sendable ([UInt8]) -> Bool

    /// - `isTrusted`: whether an address is one of our own proxies, whose `X-Forwarded-For` is believed.
    package init(parse: @escaping Parse, isTrusted: @escaping @Sendable ([UInt8]) -> Bool) {
        self.parse = parse
        self.isTrusted = isTrusted
    }

    /// The address nearest to us that is not a proxy of ours; an IPv6 address by its /64, since whoever has one has all
    /// of it.
    func key(peer: String?, forwardedFor: [String]) -> String {
        guard let peer = peer.flatMap(parse) else { return "unknown" }
        guard isTrusted(peer) else { return Self.network(of: peer) }
        // The right-most entries were written by our own proxies; whatever stands left of the first foreign one is the
        // sender's own claim.
        // By octets: for Swift a comma behind certain characters is no comma.
        for hop in forwardedFor.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }).reversed() {
            guard let address = parse(Substring(hop).filter { $0 != " " }) else { break }
            if !isTrusted(address) { return Self.network(of: address) }
        }
        return Self.network(of: peer)
    }

    /// Whether a peer says for whom it asks, and is not believed.
    func ignores(_ forwardedFor: [String], of peer: String?) -> Bool {
        !forwardedFor.isEmpty && peer.flatMap(parse).map(isTrusted) != true
    }

    private static func network(of address: [UInt8]) -> String {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        // An IPv4 address in its mapped form (RFC 4291 §2.5.5.2) is that IPv4 address.
        let own = address.count == 16 && address.starts(with: mapped) ? Array(address.suffix(4)) : address
        guard own.count == 16 else { return own.map(String.init).joined(separator: ".") }
        return own.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
    }
}
