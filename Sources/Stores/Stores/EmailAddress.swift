import JOSE

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

    /// The part after the last `@`; an `@` before it belongs to a quoted local part (RFC 5321 §4.1.2).
    package var domain: EmailDomain {
        EmailDomain(
            text.utf8.lastIndex(of: UInt8(ascii: "@")).map { String(text[text.utf8.index(after: $0)...]) } ?? "")
    }

    /// Addresses must not appear in logs.
    package var description: String { "[address elided]" }
}

/// The domain of an e-mail address, with ASCII letters in lower case.
///
/// A subdomain is another domain.
package struct EmailDomain: OctetIdentifier {
    package let text: String

    /// - Parameter text: The domain in lower case.
    package init(_ text: String) {
        self.text = text
    }
}
