/// What a provider says of a person, kept for people to read; nothing is decided by it.
package struct IdentityDetails: Sendable, Equatable {
    /// Verified or not.
    package var email: String?
    package var name: String?
    package var picture: String?

    package init(email: String? = nil, name: String? = nil, picture: String? = nil) {
        self.email = email
        self.name = name
        self.picture = picture
    }
}
