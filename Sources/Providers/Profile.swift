/// What the provider told of a person.
///
/// It never identifies the person: only the subject does.
package struct Profile: Sendable, Equatable {
    package var name: String?
    package var givenName: String?
    package var familyName: String?
    package var email: String?
    /// Nil where there is no e-mail address.
    package var isEmailVerified: Bool?
    package var picture: String?
    package var locale: String?
    package var screenName: String?

    package init() {}

    /// Members of `other` where this one has none.
    ///
    /// An address and whether it is verified stay together.
    package func completed(by other: Profile) -> Profile {
        var whole = self
        whole.name = name ?? other.name
        whole.givenName = givenName ?? other.givenName
        whole.familyName = familyName ?? other.familyName
        whole.picture = picture ?? other.picture
        whole.locale = locale ?? other.locale
        whole.screenName = screenName ?? other.screenName
        if email == nil {
            whole.email = other.email
            whole.isEmailVerified = other.isEmailVerified
        }
        return whole
    }
}
