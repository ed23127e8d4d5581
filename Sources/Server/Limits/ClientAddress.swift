/// Finds the client network that a request counts against.
package struct ClientAddress: Sendable {
    /// Returns the 4 or 16 octets of an address in network order; `nil` if the text is not an address.
    package typealias Parse = @Sendable (String) -> [UInt8]?

    private let parse: Parse
    private let trusts: @Sendable ([UInt8]) -> Bool

    /// Creates the finder.
    ///
    /// - Parameters:
    ///   - parse: Parses an address.
    ///   - isTrusted: Returns whether an address is a proxy of the operator, whose `X-Forwarded-For` is trusted.
    package init(parse: @escaping Parse, isTrusted: @escaping @Sendable ([UInt8]) -> Bool) {
        self.parse = parse
        trusts = isTrusted
    }

    /// Whether the peer of a connection is a proxy of the operator.
    func isTrusted(_ peer: String?) -> Bool {
        peer.flatMap(parse).map(trusts) == true
    }

    /// Returns the octets of the last address on the path that is not a trusted proxy; `nil` if the peer is unknown.
    func address(peer: String?, forwardedFor: [String]) -> [UInt8]? {
        guard let peer = peer.flatMap(parse) else { return nil }
        guard trusts(peer) else { return peer }
        // Trusted proxies wrote the right-most entries. Entries left of the first untrusted address are claims of the
        // client. The text is split by octets, because a comma and a combining mark after it are one `Character`, which
        // does not equal a comma.
        for hop in forwardedFor.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }).reversed() {
            guard let address = parse(Substring(hop).filter { $0 != " " }) else { break }
            if !trusts(address) { return address }
        }
        return peer
    }

    /// Returns the network of that address.
    func network(peer: String?, forwardedFor: [String]) -> ClientNetwork {
        address(peer: peer, forwardedFor: forwardedFor).map(ClientNetwork.init(of:)) ?? .unknown
    }

    /// Whether the request has `X-Forwarded-For`, but its peer is not a trusted proxy.
    func ignores(_ forwardedFor: [String], of peer: String?) -> Bool {
        !forwardedFor.isEmpty && !isTrusted(peer)
    }
}

/// The network that a request counts against.
struct ClientNetwork: Sendable, Hashable {
    /// An IPv4 address, or the first 64 bits of an IPv6 address: one host may use any address of its /64 (RFC 4291
    /// §2.5.1).
    let name: String
    /// The first 48 bits of an IPv6 address, because a subscriber may have a /48; `nil` for IPv4.
    let site: String?

    static let unknown = Self(name: "unknown", site: nil)

    private init(name: String, site: String?) {
        self.name = name
        self.site = site
    }

    /// Finds the network of an address.
    ///
    /// - Parameter address: The 4 or 16 octets of the address in network order.
    init(of address: [UInt8]) {
        let own = IPAddressText.unmapped(address)
        if own.count == 16 {
            self.init(name: Self.prefix(own, 64), site: Self.prefix(own, 48))
        } else {
            self.init(name: IPAddressText.write(own), site: nil)
        }
    }

    private static func prefix(_ address: [UInt8], _ bits: Int) -> String {
        address.prefix(bits / 8).map { String($0, radix: 16) }.joined(separator: ":") + "/\(bits)"
    }
}
