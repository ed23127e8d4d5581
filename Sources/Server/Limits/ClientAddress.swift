/// Finds the client network that a request counts against.
package struct ClientAddress: Sendable {
    /// Returns the 4 or 16 octets of an address in network order; `nil` if the text is not an address.
    package typealias Parse = @Sendable (String) -> [UInt8]?

    private let parse: Parse
    private let trusts: @Sendable ([UInt8]) -> Bool
    private let trustsEveryPeer: Bool
    private let lastHopIsProxy: Bool

    /// Creates the finder.
    ///
    /// - Parameters:
    ///   - trustsEveryPeer: Whether only a proxy of the operator can connect, from addresses that are not known.
    ///   - lastHopIsProxy: Whether the proxy appends its own address to `X-Forwarded-For` after that of its client.
    ///   - isTrusted: Returns whether an address is a proxy of the operator, whose `X-Forwarded-For` is trusted.
    package init(
        parse: @escaping Parse, trustsEveryPeer: Bool, lastHopIsProxy: Bool,
        isTrusted: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.parse = parse
        self.trustsEveryPeer = trustsEveryPeer
        self.lastHopIsProxy = lastHopIsProxy
        trusts = isTrusted
    }

    /// Whether the peer of a connection is a proxy of the operator.
    func isTrusted(_ peer: String?) -> Bool {
        peer.flatMap(parse).map(isTrusted(peer:)) == true
    }

    private func isTrusted(peer: [UInt8]) -> Bool { trustsEveryPeer || trusts(peer) }

    /// What the path of a request says about its client.
    struct Origin {
        /// The octets of the last address on the path that is not a trusted proxy; `nil` if the peer is unknown.
        let address: [UInt8]?
        /// The entry of `X-Forwarded-For` at which the reading ended, so that the address is that of a trusted proxy.
        let unreadable: UnreadableHop?
        /// The entry left of the address in `X-Forwarded-For`, which the client may have written; `nil` if there is none.
        var claimed: [UInt8]?
        /// The first address of `X-Forwarded-For` if all of them are trusted proxies, so that no client is named.
        var firstProxy: [UInt8]?
    }

    /// Returns the last address on the path that is not a trusted proxy.
    func origin(peer: String?, forwardedFor: [String]) -> Origin {
        guard let peer = peer.flatMap(parse) else { return Origin(address: nil, unreadable: nil) }
        guard isTrusted(peer: peer) else { return Origin(address: peer, unreadable: nil) }
        // Trusted proxies wrote the right-most entries. Entries left of the first untrusted address are claims of the
        // client, and so are those left of an entry that names no address: it may stand for an untrusted address. The text
        // is split by octets, because a comma and a combining mark after it are one `Character`, which does not equal a
        // comma.
        let hops = forwardedFor.flatMap {
            $0.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        }
        if lastHopIsProxy, hops.count == 1 { return Origin(address: peer, unreadable: .single) }
        var firstProxy: [UInt8]?
        for (index, hop) in hops.dropLast(lastHopIsProxy ? 1 : 0).enumerated().reversed() {
            let text = HopText.trimmed(Substring(hop))
            guard let address = HopText.address(in: text, parse: parse) else {
                return Origin(address: peer, unreadable: UnreadableHop(text))
            }
            if !trusts(address) {
                let claimed = index > 0 ? HopText.trimmed(Substring(hops[index - 1])) : ""
                return Origin(
                    address: address, unreadable: nil, claimed: HopText.address(in: claimed, parse: parse))
            }
            firstProxy = address
        }
        return Origin(address: peer, unreadable: nil, firstProxy: firstProxy)
    }

    /// Whether an address is that of a private network (RFC 1918, RFC 6598, RFC 4193), of one link (RFC 3927, RFC 4291 §2.5.6)
    /// or of this machine.
    static func isPrivate(_ address: [UInt8]) -> Bool {
        let own = IPAddressText.unmapped(address)
        guard own.count == 4 else {
            if own.first == 0xFE, own[1] & 0xC0 == 0x80 { return true }
            return own.first.map { $0 & 0xFE == 0xFC } == true || own == [UInt8](repeating: 0, count: 15) + [1]
        }
        return switch (own[0], own[1]) {
        case (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127): true
        default: false
        }
    }

    /// Whether a text is an address, and another one than that of a client.
    func differs(_ text: String, from address: [UInt8]?) -> Bool {
        guard let other = HopText.address(in: HopText.trimmed(Substring(text)), parse: parse) else { return false }
        return other != address
    }

    func network(peer: String?, forwardedFor: [String]) -> ClientNetwork {
        origin(peer: peer, forwardedFor: forwardedFor).address.map(ClientNetwork.init(of:)) ?? .unknown
    }
}

/// An entry of `X-Forwarded-For` that names no address, by its form: the text itself may come from a client.
enum UnreadableHop: String {
    case empty = "an empty entry"
    /// A proxy hides the address, or has none because its client uses a Unix socket.
    case unknown = "the word unknown"
    case other = "an entry that is no IP address"
    /// The proxy appends two entries, so that the request did not come through it.
    case single = "only one entry, and the load balancer appends two"

    init(_ text: Substring) {
        self = text.isEmpty ? .empty : text.lowercased() == "unknown" ? .unknown : .other
    }
}

/// The forms in which proxies write an address in `X-Forwarded-For`, which no standard defines.
private enum HopText {
    static func trimmed(_ text: Substring) -> Substring {
        let start = text.utf8.drop(while: isBlank)
        return Substring(start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? start[start.endIndex...])
    }

    private static func isBlank(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 }

    /// Returns the address of `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`, also
    /// in quotation marks, as RFC 7239 §6 writes the last two; `nil` for any other text.
    static func address(in text: Substring, parse: ClientAddress.Parse) -> [UInt8]? {
        let isQuoted = text.utf8.count >= 2 && text.utf8.first == quote && text.utf8.last == quote
        let node = isQuoted ? text.utf8.dropFirst().dropLast() : text.utf8
        if node.first == UInt8(ascii: "[") {
            guard let end = node.firstIndex(of: UInt8(ascii: "]")), isPort(node[end...].dropFirst()) else { return nil }
            return parse(withoutZone(node[..<end].dropFirst())).flatMap { $0.count == 16 ? $0 : nil }
        }
        if let address = parse(withoutZone(node)) { return address }
        guard let colon = node.firstIndex(of: UInt8(ascii: ":")), isPort(node[colon...]) else { return nil }
        return parse(String(Substring(node[..<colon]))).flatMap { $0.count == 4 ? $0 : nil }
    }

    /// The text of an IPv6 address without its zone (RFC 4007 §11), which means something only on the machine that wrote it.
    private static func withoutZone(_ node: Substring.UTF8View) -> String {
        let address = node.prefix { $0 != UInt8(ascii: "%") }
        return String(Substring(address.contains(UInt8(ascii: ":")) ? address : node))
    }

    /// Whether a text is empty, or a colon and a number of at most five digits.
    private static func isPort(_ text: Substring.UTF8View) -> Bool {
        guard text.first == UInt8(ascii: ":") else { return text.isEmpty }
        return (2...6).contains(text.count) && text.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    private static let quote = UInt8(ascii: "\"")
}

/// The network that a request counts against.
struct ClientNetwork: Sendable, Hashable {
    /// An IPv4 address, or the first 64 bits of an IPv6 address: one host may use any address of its /64 (RFC 4291
    /// §2.5.1).
    let name: String
    /// The first 48 bits of an IPv6 address, because a subscriber may have a /48; `nil` for IPv4.
    let site: String?
    /// The network in a log; `nil` for a public one, which may be that of one person.
    let shown: String?

    static let unknown = Self(name: "unknown", site: nil, shown: "the requests without a known address")

    private init(name: String, site: String?, shown: String?) {
        self.name = name
        self.site = site
        self.shown = shown
    }

    /// Finds the network of an address.
    ///
    /// - Parameter address: The 4 or 16 octets of the address in network order.
    init(of address: [UInt8]) {
        let own = IPAddressText.unmapped(address)
        let isShown = ClientAddress.isPrivate(own)
        if own.count == 16 {
            self.init(
                name: Self.prefix(own, 64), site: Self.prefix(own, 48), shown: isShown ? Self.shown(own) : nil)
        } else {
            let name = IPAddressText.write(own)
            self.init(name: name, site: nil, shown: isShown ? name : nil)
        }
    }

    /// The network of 64 bits in the form of RFC 5952; the loopback address has none.
    private static func shown(_ address: [UInt8]) -> String {
        guard address.prefix(8).contains(where: { $0 != 0 }) else { return IPAddressText.write(address) }
        return IPAddressText.write(Array(address.prefix(8)) + [UInt8](repeating: 0, count: 8)) + "/64"
    }

    private static func prefix(_ address: [UInt8], _ bits: Int) -> String {
        address.prefix(bits / 8).map { String($0, radix: 16) }.joined(separator: ":") + "/\(bits)"
    }
}
