/// Parses literal IP addresses to their 4 or 16 bytes.
package enum IPAddress {
    package static func parse(_ text: some StringProtocol) -> [UInt8]? {
        version4(text) ?? version6(text)
    }

    /// Parses four decimal numbers without leading zeros.
    ///
    /// Refuses the shorter and octal forms of inet_aton.
    static func version4(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4)
        for part in String(text).utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var number = 0
            for digit in part {
                guard (0x30...0x39).contains(digit) else { return nil }
                number = number * 10 + Int(digit - 0x30)
            }
            guard bytes.count < 4, let byte = UInt8(exactly: number) else { return nil }
            bytes.append(byte)
        }
        return bytes.count == 4 ? bytes : nil
    }

    /// Parses all three forms of RFC 4291 §2.2, without a zone.
    static func version6(_ text: some StringProtocol) -> [UInt8]? {
        let text = String(text)
        guard let gap = text.firstRange(of: "::") else {
            return groups(text[...], mayEndInVersion4: true).flatMap { $0.count == 16 ? $0 : nil }
        }
        guard let before = groups(text[..<gap.lowerBound], mayEndInVersion4: false),
            let after = groups(text[gap.upperBound...], mayEndInVersion4: true),
            // "::" replaces at least one group.
            before.count + after.count <= 14
        else { return nil }
        return before + [UInt8](repeating: 0, count: 16 - before.count - after.count) + after
    }

    static func isLoopback(_ address: [UInt8]) -> Bool {
        address.count == 4 ? address[0] == 127 : address == [UInt8](repeating: 0, count: 15) + [1]
    }

    private static func groups(_ text: Substring, mayEndInVersion4: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (position, part) in parts.enumerated() {
            if (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit), let value = UInt16(part, radix: 16) {
                bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
            } else if mayEndInVersion4, position == parts.count - 1, let tail = version4(part) {
                bytes += tail
            } else {
                return nil
            }
        }
        return bytes
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
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        let address = address.count == 16 && address.starts(with: mapped) ? Array(address.dropFirst(12)) : address
        return address.count == network.count && Self.prefix(of: address, bits: prefixLength) == network
    }

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

extension Entry {
    func addressRange() -> AddressRange? {
        guard let text = text() else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress.parse(parts[0]),
            parts[1].consists(of: .digits), let length = Int(parts[1]),
            length <= address.count * 8
        else { return refusing("write a block of addresses, such as 10.0.0.0/8, fd00::/8 or 192.0.2.7/32") }
        guard length > 0 else { return refusing("would trust every address: write only those of the proxies") }
        let network = AddressRange.prefix(of: address, bits: length)
        let range = AddressRange(network: network, prefixLength: length)
        guard network == address else { return refusing("has bits after its prefix: write \(range)") }
        return range
    }
}
