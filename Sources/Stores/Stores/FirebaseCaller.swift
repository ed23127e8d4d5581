package import Standards

/// A Firebase user, from a verified ID token or from Identity Toolkit, with the data that a directory needs.
package struct FirebaseCaller: Sendable, Equatable {
    package let uid: UID
    /// Whether Firebase calls the user anonymous.
    ///
    /// For an account that was made here, the record in the directory decides instead.
    package let isAnonymous: Bool
    /// The e-mail address, only if it is verified.
    package let email: EmailAddress?
    /// The known sign-in methods at Firebase itself, such as a password.
    package let signInMethods: SignInMethods
    /// Whether Firebase knows a sign-in method or an address of the user.
    ///
    /// An account whose user has an identity is never anonymous, even if this session began with our custom token.
    package let hasIdentity: Bool

    package init(
        uid: UID, isAnonymous: Bool, email: EmailAddress?, signInMethods: SignInMethods = SignInMethods(),
        hasIdentity: Bool = false
    ) {
        self.uid = uid
        self.isAnonymous = isAnonymous
        self.email = email
        self.signInMethods = signInMethods
        self.hasIdentity = hasIdentity || !signInMethods.isEmpty
    }
}

/// The names of a user's sign-in methods at Firebase itself, such as `password` or `google.com`.
///
/// An application receives them if an address belongs to an account that has no identity at our providers.
package struct SignInMethods: Sendable, Equatable, ExpressibleByArrayLiteral {
    /// The names in the order of their octets, without duplicates.
    package private(set) var names: [ProviderID] = []

    /// The maximum number of names, which is more than a Firebase user can have.
    private static let limit = 32

    package init() {}

    /// Makes a list of at most 32 names.
    ///
    /// It omits names that are empty, contain white space or control characters, or have more than 128 octets. No
    /// provider has such a name, and the stores keep all names in one text that is separated by spaces.
    package init(_ names: some Sequence<ProviderID>) {
        for name in names { insert(name) }
    }

    package init(arrayLiteral names: String...) {
        self.init(names.map { ProviderID($0) })
    }

    package var isEmpty: Bool { names.isEmpty }

    package mutating func insert(_ name: ProviderID) {
        let octets = name.text.utf8
        guard (1...128).contains(octets.count), octets.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            names.count < Self.limit, !names.contains(name)
        else { return }
        let index = names.firstIndex { name < $0 } ?? names.endIndex
        names.insert(name, at: index)
    }

    package func union(_ other: SignInMethods) -> SignInMethods { SignInMethods(names + other.names) }

    /// The names as the stores keep them; `nil` if there are none.
    package var text: String? { names.isEmpty ? nil : names.map(\.text).joined(separator: " ") }

    /// Reads ``text``.
    package init(text: String?) {
        self.init((text ?? "").split(separator: " ").map { ProviderID(String($0)) })
    }
}
