/// An e-mail address by which accounts are told apart: verified by somebody who may be trusted with that.
///
/// ASCII letters are made small, as Firebase does; nothing else is folded, so that two addresses that only look alike stay
/// two.
package struct EmailAddress: Sendable, CustomStringConvertible {
    package let text: String

    /// Nil for what is empty, holds no `@`, or is longer than 320 octets.
    package init?(_ text: String) {
        guard text.utf8.contains(UInt8(ascii: "@")), text.utf8.count <= 320 else { return nil }
        let octets = text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        self.text = String(decoding: octets, as: UTF8.self)
    }

    /// Logs name no address.
    package var description: String { "[address elided]" }
}

extension EmailAddress: Hashable {
    package static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
