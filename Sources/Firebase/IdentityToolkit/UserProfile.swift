internal import Jansson
package import Stores

/// What is written to a user; nil leaves it as it is.
package struct UserProfile: Sendable, Equatable {
    /// At most 256 characters of it are kept.
    package var name: String?
    /// A longer one than 2048 characters is left out.
    package var picture: String?
    /// As a verified one.
    package var email: EmailAddress?

    package init(name: String? = nil, picture: String? = nil, email: EmailAddress? = nil) {
        self.name = name.map { Self.cut($0, to: 256) }
        self.picture = picture.flatMap { $0.utf16.count <= 2048 ? $0 : nil }
        self.email = email
    }

    var members: [String: JSON] {
        var members: [String: JSON] = [:]
        if let name, !name.isEmpty { members["displayName"] = .string(name) }
        if let picture, !picture.isEmpty { members["photoUrl"] = .string(picture) }
        if let email {
            members["email"] = .string(email.text)
            // An address that is changed is unverified unless both are sent.
            members["emailVerified"] = .bool(true)
        }
        return members
    }

    /// Never in the middle of a character.
    private static func cut(_ text: String, to limit: Int) -> String {
        var cut = text.prefix(limit)
        while cut.utf16.count > limit { cut.removeLast() }
        return String(cut)
    }
}
