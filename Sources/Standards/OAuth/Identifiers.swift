package import JOSE
internal import Jansson

/// The id of a provider, in Firebase's spelling if Firebase knows the provider: `yahoo.com`, `twitter.com`.
///
/// Any text is a value: it names a provider only if the configuration has that id, or Firebase.
package struct ProviderID: OctetIdentifier {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// The `client_id` of a registered application (RFC 6749 §2.2).
///
/// It does not authenticate an application, because all clients are public (RFC 6749 §2.1). Any text is a value: it names
/// an application only if the configuration has that id.
package struct ClientID: OctetIdentifier {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// The identifier of a person at one provider, as the provider wrote it: not empty.
///
/// Providers guarantee nothing about letter case, white space or Unicode normalization. Further limits depend on the
/// protocol, and are checked where the answer of the provider is read.
package struct Subject: OctetIdentifier {
    package let text: String

    /// Returns `nil` for an empty text.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        self.text = text
    }

    /// A subject for a row that stands for a Firebase user and not for a person at a provider.
    package init(_ uid: UID) {
        text = uid.text
    }
}

extension Claims {
    package var subject: Subject? { self["sub"]?.string.flatMap { Subject($0) } }
}

/// The identifier of a Firebase user, 1 to 128 UTF-16 code units.
package struct UID: OctetIdentifier {
    package let text: String

    /// Returns `nil` unless `text` has 1 to 128 UTF-16 code units, the unit in which Firebase's SDKs count.
    package init?(_ text: String) {
        guard (1...128).contains(text.utf16.count) else { return nil }
        self.text = text
    }

    /// A constant of the program, with 1 to 128 ASCII characters.
    package init(constant: StaticString) {
        precondition((1...128).contains(constant.utf8CodeUnitCount))
        text = "\(constant)"
    }

    /// A uid with a prefix, such as the tenant in a store of several tenants.
    ///
    /// The length is not checked again.
    package init(_ uid: UID, after prefix: String) {
        text = prefix + uid.text
    }
}
