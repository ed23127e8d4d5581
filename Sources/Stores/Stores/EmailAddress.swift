import Octets

/// An e-mail address that identifies an account.
///
/// A provider that is trusted for e-mail addresses has verified it.
///
/// ASCII letters are lowercased, as Firebase does. Nothing else is folded, so that two addresses that only look alike
/// remain different.
package struct EmailAddress: OctetIdentifier {
    package let text: String

    /// Returns `nil` if the text contains no `@` or is longer than 320 octets.
    package init?(_ text: String) {
        guard text.utf8.contains(UInt8(ascii: "@")), text.utf8.count <= 320 else { return nil }
        let octets = text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        self.text = String(decoding: octets, as: UTF8.self)
    }

    /// Addresses must not appear in logs.
    package var description: String { "[address elided]" }
}
