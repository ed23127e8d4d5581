package import Jansson
package import Standards

/// The attributes of a person that the provider sent.
///
/// None of them identifies the person: only the subject does.
package struct Profile: Sendable, Equatable {
    package var name: String?
    package var givenName: String?
    package var familyName: String?
    package var email: String?
    /// Whether the address counts as verified, by the provider's ``EmailTrust``; `nil` if there is no address.
    package var isEmailVerified: Bool?
    package var picture: String?
    package var locale: String?
    package var screenName: String?

    package init() {}

    /// Returns this profile with the missing members taken from `other`.
    ///
    /// The address and ``isEmailVerified`` are taken together.
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

    /// The members as responses and hooks contain them, without those that are missing.
    package var json: JSON {
        let texts = [
            ("name", name), ("given_name", givenName), ("family_name", familyName), ("email", email),
            ("picture", picture), ("locale", locale), ("screen_name", screenName),
        ]
        var members: [String: JSON] = [:]
        for (name, text) in texts { members[name] = text.map(JSON.string) }
        members["email_verified"] = isEmailVerified.map(JSON.bool)
        return .object(members)
    }
}

/// The names of the members of a provider's JSON that contain a profile.
package struct ProfileMapping: Sendable, Equatable {
    /// The path to the object with the members: X puts it into `data`.
    package let root: [String]
    package let subject: String
    /// Whether the subject must consist of decimal digits.
    ///
    /// X sends its numeric ids as text because they exceed 2^53.
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

    /// The standard claims of OpenID Connect Core §5.1, for ID tokens and for the userinfo endpoint.
    package static let openIDConnect = ProfileMapping(
        subject: "sub", subjectIsDecimal: false, givenName: "given_name", familyName: "family_name", email: "email",
        emailVerified: "email_verified", picture: "picture", locale: "locale", screenName: "preferred_username")

    /// Returns the subject in the response of a user endpoint, or `nil` if it is missing or malformed.
    package func subject(in answer: JSON) -> Subject? {
        guard let text = descended(answer)?[subject]?.string else { return nil }
        if subjectIsDecimal { return Self.isDecimal(text) ? Subject(text) : nil }
        // The rules are those for `sub` of an ID token.
        let isText =
            (1...255).contains(text.utf8.count) && !text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isText ? Subject(text) : nil
    }

    /// Returns whether a text consists of 1 to 20 digits.
    package static func isDecimal(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Returns the profile in the response of a user endpoint, or in the claims of an ID token.
    ///
    /// A member that is not a text of 1 to 2048 octets without control characters is ignored.
    package func profile(in answer: JSON, trusting trust: EmailTrust) -> Profile {
        guard let members = descended(answer) else { return Profile() }
        func text(_ member: String?) -> String? {
            guard let value = member.flatMap({ members[$0]?.string }), (1...2048).contains(value.utf8.count),
                !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
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
                // Only the JSON value `true` counts, and not the string "true" or the number 1.
                case .claim: emailVerified.flatMap { members[$0]?.bool } ?? false
                case .claimText: [.bool(true), .string("true")].contains(emailVerified.flatMap { members[$0] })
                }
        }
        return profile
    }

    /// Returns whether the response says by a text whether the address is verified, which this rule does not read.
    package func ignoresEmailVerified(in answer: JSON, trusting trust: EmailTrust) -> Bool {
        guard trust == .claim, let emailVerified, let members = descended(answer) else { return false }
        return ["true", "false"].contains(members[emailVerified]?.string) && members[email]?.string != nil
    }

    /// Returns the object that contains the members of the person; `nil` if the response has none.
    package func members(in answer: JSON) -> JSON? { descended(answer) }

    private func descended(_ answer: JSON) -> JSON? {
        root.reduce(Optional(answer)) { $0?[$1] }
    }
}

/// An endpoint that returns the person that a token belongs to, and the mapping of its JSON.
package struct UserEndpoint: Sendable, Equatable {
    package let url: String
    /// The parameters of the query.
    ///
    /// With OAuth 1.0a they are signed.
    package let query: [String: String]
    /// The parameters to use if the provider refuses `query`; `nil` if there is no second attempt.
    ///
    /// The sign-in then continues without an e-mail address.
    package let queryWithoutEmail: [String: String]?
    package let mapping: ProfileMapping
    /// Whether the provider charges for each call.
    package let isPaid: Bool
    /// Whether `query` asks for the e-mail address.
    package let requestsEmail: Bool

    package init(
        url: String, query: [String: String], queryWithoutEmail: [String: String]?, mapping: ProfileMapping,
        isPaid: Bool = false, requestsEmail: Bool = false
    ) {
        self.url = url
        self.query = query
        self.queryWithoutEmail = queryWithoutEmail
        self.mapping = mapping
        self.isPaid = isPaid
        self.requestsEmail = requestsEmail
    }
}

/// The rule by which an e-mail address of a provider counts as verified.
package enum EmailTrust: String, Sendable, CaseIterable {
    /// The address is verified if `email_verified` is the JSON value `true`.
    case claim
    /// The address is verified if `email_verified` is the JSON value `true` or exactly the text `true`.
    case claimText = "claim_text"
    /// Every address is verified: the provider returns only confirmed addresses.
    case always
    case never
}

/// When the server calls the user endpoint only to complete a profile.
package enum ProfileRule: String, Sendable, CaseIterable {
    /// The server calls it at each sign-in.
    case always
    /// The server calls it only for an identity that has no account yet, because the provider charges for the call or
    /// limits it.
    case firstSignIn = "first_sign_in"
}
