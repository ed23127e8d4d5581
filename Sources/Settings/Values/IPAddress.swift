internal import Glibc

/// Parses literal IP addresses to their 4 or 16 bytes.
package enum IPAddress {
    package static func parse(_ text: some StringProtocol) -> [UInt8]? {
        version4(text) ?? version6(text)
    }

    /// Parses four decimal numbers without leading zeros.
    ///
    /// inet_pton(3) refuses the shorter and octal forms of inet_aton.
    static func version4(_ text: some StringProtocol) -> [UInt8]? { bytes(text, AF_INET, count: 4) }

    /// Parses all three forms of RFC 4291 §2.2, without a zone.
    static func version6(_ text: some StringProtocol) -> [UInt8]? { bytes(text, AF_INET6, count: 16) }

    private static func bytes(_ text: some StringProtocol, _ family: Int32, count: Int) -> [UInt8]? {
        // C would read only the part before a NUL.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe inet_pton(family, String(text), &bytes) == 1 ? bytes : nil
    }

    static func isLoopback(_ address: [UInt8]) -> Bool {
        address.count == 4 ? address[0] == 127 : address == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether an address belongs to a private network: RFC 1918 §3, RFC 6598 §7, RFC 4193 §3.1.
    static func isPrivate(_ address: [UInt8]) -> Bool {
        guard address.count == 4 else { return address[0] & 0xFE == 0xFC }
        return switch (address[0], address[1]) {
        case (10, _), (172, 16...31), (192, 168), (100, 64...127): true
        default: false
        }
    }

    /// The host of a URL in the form in which libcurl compares it: in lower case, and an IPv6 address in its shortest form.
    static func urlHost(_ host: some StringProtocol) -> String {
        guard host.hasPrefix("["), let address = version6(host.dropFirst().dropLast()) else { return host.lowercased() }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = unsafe inet_ntop(AF_INET6, address, &text, socklen_t(text.count))
        return "[" + String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) + "]"
    }
}

/// An address block in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3): `10.0.0.0/8`, `fd00::/8`.
package struct AddressRange: Sendable, Equatable {
    /// 4 or 16 bytes, zero after the prefix.
    package let network: [UInt8]
    /// The length of the prefix in bits.
    package let prefixLength: Int

    /// Whether the block contains an address of 4 or 16 bytes.
    ///
    /// An IPv4-mapped address (RFC 4291 §2.5.5.2) counts as IPv4.
    package func contains(_ address: [UInt8]) -> Bool {
        let address = address.count == 16 && address.starts(with: Self.mapped) ? Array(address.dropFirst(12)) : address
        return address.count == network.count && Self.prefix(of: address, bits: prefixLength) == network
    }

    fileprivate static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    static func prefix(of address: [UInt8], bits: Int) -> [UInt8] {
        address.enumerated().map { position, byte in
            let kept = min(max(bits - position * 8, 0), 8)
            return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
    }
}

extension AddressRange: CustomStringConvertible {
    package var description: String {
        let text =
            network.count == 4
            ? network.map(String.init).joined(separator: ".")
            : stride(from: 0, to: 16, by: 2)
                .map { String(UInt16(network[$0]) << 8 | UInt16(network[$0 + 1]), radix: 16) }
                .joined(separator: ":")
        return "\(text)/\(prefixLength)"
    }
}

/// A proxy whose `X-Forwarded-For` is trusted.
package enum TrustedProxy: Sendable, Equatable, CustomStringConvertible {
    case block(AddressRange)
    /// Google's front end, which appends the address of its client, and hands requests to a container of Cloud Run from
    /// addresses that are not documented.
    case cloudRun
    /// An Application Load Balancer of Google, which appends the address of its client and its own.
    ///
    /// - SeeAlso: <https://cloud.google.com/load-balancing/docs/https#x-forwarded-for_header>
    case googleLoadBalancer

    fileprivate static let presets: [(word: String, meaning: Self)] = [
        ("cloud-run", .cloudRun), ("google-load-balancer", .googleLoadBalancer),
    ]

    /// Where the connections of Google's load balancers come from: 35.191.0.0/16 and 130.211.0.0/22.
    private static let balancerBlocks = [
        AddressRange(network: [35, 191, 0, 0], prefixLength: 16),
        AddressRange(network: [130, 211, 0, 0], prefixLength: 22),
    ]

    /// Whether the address, of 4 or 16 bytes, is that of the proxy.
    package func contains(_ address: [UInt8]) -> Bool {
        switch self {
        case .block(let block): block.contains(address)
        case .cloudRun: false
        case .googleLoadBalancer: Self.balancerBlocks.contains { $0.contains(address) }
        }
    }

    package var description: String {
        if case .block(let block) = self { return block.description }
        return Self.presets.first { $0.meaning == self }?.word ?? ""
    }
}

extension Rule<[TrustedProxy]> {
    /// A list of blocks and presets, or one preset.
    static var trustedProxies: Self {
        Self(
            { $0.writtenText == nil ? $0.list { $0.trustedProxy() } : $0.trustedPreset() },
            write: { $0.map(\.description).inList })
    }
}

extension Entry {
    /// Reads a block of addresses, or the name of a preset.
    fileprivate func trustedProxy() -> TrustedProxy? {
        guard let text = writtenText, let word = Spelling.nearest(to: text, among: TrustedProxy.presets.map(\.word))
        else { return addressRange().map(TrustedProxy.block) }
        return TrustedProxy.presets.first { $0.word == text }?.meaning ?? refusing("did you mean \(word)?")
    }

    /// Reads a preset in place of the list.
    fileprivate func trustedPreset() -> [TrustedProxy]? {
        guard let text = writtenText, Spelling.nearest(to: text, among: TrustedProxy.presets.map(\.word)) != nil
        else { return elements().map { _ in [] } }
        return trustedProxy().map { [$0] }
    }

    /// Reads a block of addresses.
    ///
    /// - Parameter objection: The message for a block with every address.
    /// - Returns: The block, or `nil` if it is refused.
    func addressRange(
        ofAll objection: String = "would trust every address: write only those of the proxies"
    ) -> AddressRange? {
        guard let text = text() else { return nil }
        guard !text.contains(",") else { return refusing("has several entries in one text: write [one, another]") }
        if let address = IPAddress.parse(text) {
            let single = AddressRange(network: address, prefixLength: address.count * 8)
            return refusing("is a single address: write \(single), or the block of the network")
        }
        guard text != "*" else { return refusing(objection) }
        if text.first?.isLetter == true, text.consists(of: .lettersAndDigits, or: "-_.") {
            return refusing(
                "is a name, which is not looked up: write the block of the addresses behind it, such as 10.0.0.0/8, or a preset: "
                    + TrustedProxy.presets.map(\.word).inWords)
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, var address = IPAddress.parse(parts[0]),
            parts[1].consists(of: .digits), var length = Int(parts[1]),
            length <= address.count * 8
        else { return refusing("write a block of addresses, such as 10.0.0.0/8, fd00::/8 or 192.0.2.7/32") }
        // A peer with an IPv4-mapped address counts as IPv4, and so does such a block.
        if address.count == 16, address.starts(with: AddressRange.mapped), length >= 96 {
            (address, length) = (Array(address.dropFirst(12)), length - 96)
        }
        guard length > 0 else { return refusing(objection) }
        let network = AddressRange.prefix(of: address, bits: length)
        let range = AddressRange(network: network, prefixLength: length)
        guard network == address else { return refusing("has bits after its prefix: write \(range)") }
        return range
    }
}
