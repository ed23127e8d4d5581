internal import JOSE
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

/// The places of a person's attributes in a provider's JSON.
package struct ProfileMapping: Sendable, Equatable {
    /// The object about the person, as applications may receive it.
    package var person: JSONPointer = ""
    package var subject: JSONPointer
    package var subjectForm: SubjectForm
    package var name: JSONPointer?
    package var givenName: JSONPointer?
    package var familyName: JSONPointer?
    package var email: JSONPointer?
    package var emailVerified: JSONPointer?
    package var picture: JSONPointer?
    /// The URL of a picture that `picture` only names: ``pictureURLPlaceholder`` stands for that name, and
    /// ``pictureURLSubject`` for the subject.
    package var pictureURL: String?
    package var locale: JSONPointer?
    package var screenName: JSONPointer?

    package static let pictureURLPlaceholder = "{picture}"
    package static let pictureURLSubject = "{sub}"

    /// A mapping that reads no member.
    package init() { self.init(subject: "", form: .textOrInteger) }

    package init(subject: JSONPointer, form: SubjectForm) {
        self.subject = subject
        subjectForm = form
    }

    /// Which JSON values are a subject.
    package enum SubjectForm: Sendable, Equatable {
        /// A text, by the rules for `sub` of an ID token.
        case text
        /// A text of decimal digits: X sends its ids as text, because they exceed 2^53.
        case decimalText
        /// A text, or an integer from 1 to 2^53 - 1, which stands for its decimal digits.
        ///
        /// A larger number may already have been rounded by the provider's software (RFC 8259 §6), so that two persons could
        /// have the same one. 0 is what some interfaces return for no person.
        case textOrInteger
    }

    /// The standard claims of OpenID Connect Core §5.1, for ID tokens and for the userinfo endpoint.
    package static let openIDConnect = {
        var mapping = ProfileMapping(subject: "/sub", form: .text)
        mapping.name = "/name"
        mapping.givenName = "/given_name"
        mapping.familyName = "/family_name"
        mapping.email = "/email"
        mapping.emailVerified = "/email_verified"
        mapping.picture = "/picture"
        mapping.locale = "/locale"
        mapping.screenName = "/preferred_username"
        return mapping
    }()

    /// Returns the subject in the response of a user endpoint, or `nil` if it is missing or malformed.
    package func subject(in answer: JSON) -> Subject? { answer[subject].flatMap { subjectForm.subject(of: $0) } }

    /// Returns whether a text consists of 1 to 20 digits, of which the first is not 0.
    ///
    /// A provider that has no user at hand may send 0, which then would be the same person for everyone.
    package static func isDecimal(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && !text.hasPrefix("0")
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Returns the profile in the response of a user endpoint, or in the claims of an ID token.
    ///
    /// A member that is not a text of 1 to 2048 octets without control characters is ignored, and so is a picture that is no URL
    /// with `http` or `https`: applications and Firebase load it, and a `data` URL would make each token longer.
    package func profile(in answer: JSON, trusting trust: EmailTrust) -> Profile {
        func text(_ place: JSONPointer?) -> String? { place.flatMap { answer[$0]?.profileText } }
        var profile = Profile()
        profile.name = text(name)
        profile.givenName = text(givenName)
        profile.familyName = text(familyName)
        profile.picture = picture(in: answer)
        profile.locale = text(locale)
        profile.screenName = text(screenName)
        profile.email = text(email)
        if profile.email != nil {
            profile.isEmailVerified = trust.verifies(emailVerified.flatMap { answer[$0] })
        }
        return profile
    }

    private func picture(in answer: JSON) -> String? {
        guard let named = picture.flatMap({ answer[$0]?.profileText }) else { return nil }
        guard let pictureURL else { return named.isWebURL ? named : nil }
        let subject = subject(in: answer)?.text ?? ""
        return
            pictureURL
            .replacing(Self.pictureURLSubject, with: PercentEncoding.encode(subject))
            .replacing(Self.pictureURLPlaceholder, with: PercentEncoding.encode(named))
    }

    /// Returns the failure that names the parts which the answer has and ``profile(in:trusting:)`` leaves out; `nil` if there
    /// are none.
    ///
    /// An empty text counts as absent, and so does a relative path in place of a picture, which some providers send for a person
    /// without one.
    package func unusableParts(in answer: JSON, trusting trust: EmailTrust) -> ProviderFailure? {
        var parts: [String] = []
        for place in [name, givenName, familyName, email, picture, locale, screenName].compactMap(\.self) {
            guard let value = answer[place], value != .string(""), value.profileText == nil else { continue }
            parts.append("\(place.name) (\(value.profileKind))")
        }
        if pictureURL == nil, let picture, let text = answer[picture]?.profileText, text.contains(":"), !text.isWebURL {
            parts.append("\(picture.name) (no URL with http or https)")
        }
        if let emailVerified, let value = answer[emailVerified], email.flatMap({ answer[$0]?.profileText }) != nil,
            let objection = trust.objection(to: value)
        {
            parts.append("\(emailVerified.name) (\(objection))")
        }
        return parts.isEmpty ? nil : .unusableMembers(parts.joined(separator: ", "))
    }
}

extension JSONPointer {
    /// The place as an operator knows it: `email`, or `data/email`.
    fileprivate var name: String { String(description.dropFirst()) }
}

extension ProfileMapping.SubjectForm {
    /// The form in words, for a message about a value that has another one.
    var name: String {
        switch self {
        case .text: "a text of at most 255 octets"
        case .decimalText: "a text of digits of which the first is not 0"
        case .textOrInteger: "a text of at most 255 octets other than 0, or an integer from 1 to 2^53 - 1"
        }
    }

    /// Returns what a value is that is no subject.
    package func objection(to value: JSON) -> String {
        switch value {
        case .integer where self == .textOrInteger: return "a number out of range"
        case .string(let text):
            if text.isEmpty { return "an empty text" }
            if text.unicodeScalars.allSatisfy(\.properties.isWhitespace) { return "a text of spaces" }
            if text.hasControlCharacter { return "a text with control characters" }
            if self == .decimalText, text.hasPrefix("0") { return "a text that begins with 0" }
            if self == .textOrInteger, text == "0" { return "the text 0" }
            return self == .decimalText
                ? "a text with other characters than digits, or of too many" : "a text of \(text.utf8.count) octets"
        default: return value.profileKind
        }
    }

    /// Returns the subject that a value stands for; `nil` if it is none.
    package func subject(of value: JSON) -> Subject? {
        switch (self, value) {
        case (.textOrInteger, .integer(let number)):
            return (1..<1 << 53).contains(number) ? Subject(String(number)) : nil
        case (.decimalText, .string(let text)): return ProfileMapping.isDecimal(text) ? Subject(text) : nil
        case (.text, .string(let text)), (.textOrInteger, .string(let text)):
            // The rules are those for `sub` of an ID token.
            let isText =
                (1...255).contains(text.utf8.count) && !text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
                && !text.hasControlCharacter && !(self == .textOrInteger && text == "0")
            return isText ? Subject(text) : nil
        default: return nil
        }
    }
}

extension String {
    fileprivate var isWebURL: Bool { ["https://", "http://"].contains { lowercased().hasPrefix($0) } }
}

extension JSON {
    /// What the value is, for a message about one that is none of the expected texts.
    var profileKind: String {
        string == nil ? otherType : "a text with control characters, or of more than 2048 octets"
    }

    /// What a member is that is no text; one that occurs twice, or cannot be represented, is `null`.
    package var otherType: String {
        self == .null ? "two members of that name, a number out of range, or a text that cannot be read" : typeName
    }

    fileprivate var profileText: String? {
        guard let value = string, (1...2048).contains(value.utf8.count), !value.hasControlCharacter else { return nil }
        return value
    }
}

/// An endpoint that returns the person that a token belongs to, and the mapping of its JSON.
package struct UserEndpoint: Sendable, Equatable {
    package var url: String
    /// The parameters of the query.
    ///
    /// With OAuth 1.0a they are signed.
    package let query: [String: String]
    /// The parameters to use if the provider refuses `query`; `nil` if there is no second attempt.
    ///
    /// The sign-in then continues without an e-mail address.
    package let queryWithoutEmail: [String: String]?
    package var mapping: ProfileMapping
    /// Whether the provider charges for each call.
    package var isPaid = false
    /// The JSON text that is sent with POST; `nil` for GET.
    package var body: String?
    /// Further header fields by their names.
    package var header: [String: String] = [:]
}

/// An endpoint that lists the addresses of a person, for a provider whose user endpoint does not say which are verified.
package struct EmailEndpoint: Sendable, Equatable {
    package var url: String
    package var list: JSONPointer = ""
    /// The address, below an element of the list.
    package var address: JSONPointer = "/email"
    /// Whether the address is verified, below an element of the list.
    package var isVerified: JSONPointer = "/verified"
    /// Whether the address is the one that the person chose, below an element of the list.
    package var isPrimary: JSONPointer = "/primary"

    package init(url: String) { self.url = url }

    /// Returns the primary address of a list; an empty profile if it names none.
    package func profile(in answer: JSON, trusting trust: EmailTrust) -> Profile {
        var profile = Profile()
        guard let primary = answer[list]?.array?.first(where: { $0[isPrimary]?.bool == true }) else { return profile }
        profile.email = primary[address]?.profileText
        if profile.email != nil { profile.isEmailVerified = trust.verifies(primary[isVerified]) }
        return profile
    }

    /// Returns the failure about the part of the configuration that names nothing in an answer; `nil` if the list is empty.
    package func failure(of answer: JSON) -> ProviderFailure? {
        guard let elements = answer[list]?.array else {
            let other = answer[list].flatMap { $0.object == nil ? "it is \($0.otherType)" : $0.membersForOperator }
            return missing("the list of emails.list", found: other ?? answer.membersForOperator)
        }
        guard let first = elements.first else { return nil }
        let names = first.namesForOperator
        let found = names.isEmpty ? nil : "the members of the first element are \(names)"
        if !elements.contains(where: { $0[address]?.string != nil }) {
            return missing("emails.email of every address", found: found)
        }
        if !elements.contains(where: { $0[isPrimary]?.bool != nil }) {
            return missing("emails.primary of every address", found: found)
        }
        return nil
    }

    private func missing(_ part: String, found: String?) -> ProviderFailure {
        .malformedResponse(
            part, found: found,
            advice:
                "Write the place of the list as emails.list, and those of the address, of primary and of verified below an "
                + "element as emails.email, emails.primary and emails.email_verified.")
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

    /// Whether an address counts as verified.
    ///
    /// - Parameter claim: What the provider says about it; `nil` if it says nothing.
    func verifies(_ claim: JSON?) -> Bool {
        switch self {
        case .always: true
        case .never: false
        // Only the JSON value `true` counts, and not the string "true" or the number 1.
        case .claim: claim?.bool ?? false
        case .claimText: [.bool(true), .string("true")].contains(claim)
        }
    }

    /// What the value of `email_verified` is, if this rule would read it and it has another type; otherwise `nil`.
    fileprivate func objection(to claim: JSON) -> String? {
        switch (self, claim) {
        case (.always, _), (.never, _), (_, .bool), (_, .string("")): nil
        case (.claimText, .string("true")), (.claimText, .string("false")): nil
        case (.claim, .string("true")), (.claim, .string("false")): ProviderFailure.verificationAsText
        case (_, .string): "neither true nor false"
        default: claim.profileKind
        }
    }
}

/// When the server calls the user endpoint only to complete a profile.
package enum ProfileRule: String, Sendable, CaseIterable {
    /// The server calls it at each sign-in.
    case always
    /// The server calls it only for an identity that has no account yet, because the provider charges for the call or
    /// limits it.
    case firstSignIn = "first_sign_in"
}
