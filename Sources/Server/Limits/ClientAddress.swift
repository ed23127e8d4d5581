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

    /// The network of the address nearest to us that is not a proxy of ours.
    func network(peer: String?, forwardedFor: [String]) -> ClientNetwork {
        guard let peer = peer.flatMap(parse) else { return .unknown }
        guard isTrusted(peer) else { return ClientNetwork(of: peer) }
        // The right-most entries were written by our own proxies; whatever stands left of the first foreign one is the
        // sender's own claim.
        // By octets: for Swift a comma behind certain characters is no comma.
        for hop in forwardedFor.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }).reversed() {
            guard let address = parse(Substring(hop).filter { $0 != " " }) else { break }
            if !isTrusted(address) { return ClientNetwork(of: address) }
        }
        return ClientNetwork(of: peer)
    }

    /// Whether a peer says for whom it asks, and is not believed.
    func ignores(_ forwardedFor: [String], of peer: String?) -> Bool {
        !forwardedFor.isEmpty && peer.flatMap(parse).map(isTrusted) != true
    }
}

/// What a request is counted against.
struct ClientNetwork: Sendable, Hashable {
    /// An IPv4 address, or the first 64 bits of an IPv6 address: a link has so many addresses, and a
    /// host any number of them (RFC 4291 §2.5.1).
    let name: String
    /// The first 48 bits of an IPv6 address, which one subscriber may have as well; nil for IPv4.
    let site: String?

    static let unknown = Self(name: "unknown", site: nil)

    private init(name: String, site: String?) {
        self.name = name
        self.site = site
    }

    /// - Parameter address: 4 or 16 octets in network order.
    init(of address: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        // An IPv4 address in its mapped form (RFC 4291 §2.5.5.2) is that IPv4 address.
        let own = address.count == 16 && address.starts(with: mapped) ? Array(address.suffix(4)) : address
        if own.count == 16 {
            self.init(name: Self.prefix(own, 64), site: Self.prefix(own, 48))
        } else {
            self.init(name: own.map(String.init).joined(separator: "."), site: nil)
        }
    }

    private static func prefix(_ address: [UInt8], _ bits: Int) -> String {
        address.prefix(bits / 8).map { String($0, radix: 16) }.joined(separator: ":") + "/\(bits)"
    }
}
