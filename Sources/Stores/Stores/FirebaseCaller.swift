/// A Firebase user whose ID token was verified, or whom Identity Toolkit has described, as far as a directory has to
/// know them.
package struct FirebaseCaller: Sendable, Equatable {
    package let uid: String
    /// Whether Firebase itself calls them anonymous; of the accounts made here the directory knows better.
    package let isAnonymous: Bool
    /// Only a verified one.
    package let email: EmailAddress?
    /// What they can sign in by that is not ours, such as a password, as far as it is known.
    package let waysIn: WaysIn
    /// Whether Firebase knows anything by which this person could be told from others: a way in, or an address.
    ///
    /// An account whose user has an identity is never anonymous, even if this session began with our custom token.
    package let hasIdentity: Bool

    package init(
        uid: String, isAnonymous: Bool, email: EmailAddress?, waysIn: WaysIn = WaysIn(), hasIdentity: Bool = false
    ) {
        self.uid = uid
        self.isAnonymous = isAnonymous
        self.email = email
        self.waysIn = waysIn
        self.hasIdentity = hasIdentity || !waysIn.isEmpty
    }
}

/// The names of what a user signs in by at Firebase itself, such as `password` or `google.com`.
///
/// They are what an application is told if an address belongs to an account that our providers do not open. Two lists
/// are equal if they agree in every octet.
package struct WaysIn: Sendable, ExpressibleByArrayLiteral {
    /// In the order of their octets, each once.
    package private(set) var names: [String] = []

    /// More than a user of Firebase can have.
    private static let limit = 32

    package init() {}

    /// Names that are empty, hold white space or control characters, or have more than 128 octets are left out: no
    /// provider is called so, and the store keeps the names in one text.
    package init(_ names: some Sequence<String>) {
        for name in names { insert(name) }
    }

    package init(arrayLiteral names: String...) {
        self.init(names)
    }

    package var isEmpty: Bool { names.isEmpty }

    package mutating func insert(_ name: String) {
        let octets = name.utf8
        guard (1...128).contains(octets.count), octets.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            names.count < Self.limit, !names.contains(where: { $0.utf8.elementsEqual(octets) })
        else { return }
        let index = names.firstIndex { octets.lexicographicallyPrecedes($0.utf8) } ?? names.endIndex
        names.insert(name, at: index)
    }

    package func union(_ other: WaysIn) -> WaysIn { WaysIn(names + other.names) }

    /// As the stores keep it; nil for none.
    package var text: String? { names.isEmpty ? nil : names.joined(separator: " ") }

    /// Reads ``text``.
    package init(text: String?) {
        self.init((text ?? "").split(separator: " ").map(String.init))
    }
}

extension WaysIn: Equatable {
    package static func == (one: Self, other: Self) -> Bool {
        one.names.elementsEqual(other.names) { $0.utf8.elementsEqual($1.utf8) }
    }
}
