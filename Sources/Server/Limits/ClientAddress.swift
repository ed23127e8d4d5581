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
