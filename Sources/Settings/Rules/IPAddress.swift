/// The bytes of a literal address: 4 or 16.
package enum IPAddress {
    package static func parse(_ text: some StringProtocol) -> [UInt8]? {
        version4(text) ?? version6(text)
    }

    /// Four decimal numbers without leading zeros; the shorter and octal forms of inet_aton are refused.
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

    /// RFC 4291 §2.2, all three forms; no zone.
    static func version6(_ text: some StringProtocol) -> [UInt8]? {
        let text = String(text)
        guard let gap = text.firstRange(of: "::") else {
            return groups(text[...], mayEndInVersion4: true).flatMap { $0.count == 16 ? $0 : nil }
        }
        guard let before = groups(text[..<gap.lowerBound], mayEndInVersion4: false),
            let after = groups(text[gap.upperBound...], mayEndInVersion4: true),
            // "::" stands for one group or more.
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
