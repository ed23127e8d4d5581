package import Jansson

/// Where in a provider's JSON the members of a profile stand.
package struct ProfileMapping: Sendable, Equatable {
    /// Members to descend through before anything is read: X wraps its answer in `data`.
    package let root: [String]
    package let subject: String
    /// X's ids are decimal numbers, sent as text since they pass 2^53; anything else is not an id then.
    package let subjectIsDecimal: Bool
    package let name: String
    package let givenName: String?
    package let familyName: String?
    package let email: String
    package let emailVerified: String?
    package let picture: String
    package let locale: String?
    package let screenName: String

    package init(
        root: [String] = [], subject: String, subjectIsDecimal: Bool, name: String = "name",
        givenName: String? = nil, familyName: String? = nil, email: String, emailVerified: String? = nil,
        picture: String, locale: String? = nil, screenName: String
    ) {
        self.root = root
        self.subject = subject
        self.subjectIsDecimal = subjectIsDecimal
        self.name = name
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.emailVerified = emailVerified
        self.picture = picture
        self.locale = locale
        self.screenName = screenName
    }

    /// The standard claims of OpenID Connect Core §5.1, in an ID token and at the userinfo endpoint alike.
    package static let openIDConnect = ProfileMapping(
        subject: "sub", subjectIsDecimal: false, givenName: "given_name", familyName: "family_name", email: "email",
        emailVerified: "email_verified", picture: "picture", locale: "locale", screenName: "preferred_username")

    /// The subject in a user endpoint's answer; nil where it is missing or is not of the provider's form.
    package func subject(in answer: JSON) -> String? {
        guard let text = descended(answer)?[subject]?.string else { return nil }
        if subjectIsDecimal { return Self.isDecimal(text) ? text : nil }
        // The form that an ID token's `sub` must have.
        let isText =
            (1...255).contains(text.utf8.count) && !text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isText ? text : nil
    }

    /// One to twenty digits.
    package static func isDecimal(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// What there is of a profile.
    ///
    /// A member of another type, or longer than 2048 octets, is left out.
    package func profile(in answer: JSON, trusting trust: EmailTrust) -> Profile {
        guard let members = descended(answer) else { return Profile() }
        func text(_ member: String?) -> String? {
            guard let value = member.flatMap({ members[$0]?.string }), (1...2048).contains(value.utf8.count)
            else { return nil }
            return value
        }
        var profile = Profile()
        profile.name = text(name)
        profile.givenName = text(givenName)
        profile.familyName = text(familyName)
        profile.picture = text(picture)
        profile.locale = text(locale)
        profile.screenName = text(screenName)
        profile.email = text(email)
        if profile.email != nil {
            profile.isEmailVerified =
                switch trust {
                case .always: true
                case .never: false
                // The JSON value `true`: a string or a number that looks like it is not the provider's word.
                case .claim: emailVerified.flatMap { members[$0]?.bool } ?? false
                }
        }
        return profile
    }

    private func descended(_ answer: JSON) -> JSON? {
        root.reduce(Optional(answer)) { $0?[$1] }
    }
}
