/// The text form of IP addresses.
enum IPAddressText {
    /// Writes 4 octets with dots, and 16 octets as in RFC 5952: `2001:db8::1`.
    ///
    /// - Parameter address: The octets in network order.
    /// - Returns: The text; an IPv4 address in its mapped form is written as that IPv4 address.
    static func write(_ address: [UInt8]) -> String {
        let own = unmapped(address)
        guard own.count == 16 else { return own.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(own[$0]) << 8 | UInt16(own[$0 + 1]) }
        let zeros = longestZeros(groups)
        func text(_ groups: ArraySlice<UInt16>) -> String {
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        // RFC 5952 §4.2.2: a single group of zeros is not shortened.
        guard zeros.count > 1 else { return text(groups[...]) }
        return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }

    /// Returns the 4 octets of an IPv4 address in its mapped form (RFC 4291 §2.5.5.2), and any other address as it is.
    static func unmapped(_ address: [UInt8]) -> [UInt8] {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return address.count == 16 && address.starts(with: mapped) ? Array(address.suffix(4)) : address
    }

    /// The first of the longest sequences of zeros (RFC 5952 §4.2.3).
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 {
                start = index + 1
            } else if index + 1 - start > longest.count {
                longest = start..<(index + 1)
            }
        }
        return longest
    }
}
