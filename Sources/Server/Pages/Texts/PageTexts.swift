/// The texts of all pages in one language, except those of problem pages.
///
/// A text is a Mustache fragment. `{{>application}}`, `{{>provider}}`, `{{>host}}`, `{{>scheme}}`, `{{>uidEnd}}` and
/// `{{>requestID}}` insert a name with its own direction and emphasis. A title cannot contain elements, so titles use
/// `{{>applicationInTitle}}`.
struct PageTexts: Sendable {
    /// The prefix of the title of a page that reports an error; it ends with a colon.
    let error: String

    let signInTitle: String
    let signInHeading: String
    let signInChoose: String
    /// Replaces ``signInChoose`` if there is only one provider.
    let signInWithOne: String
    let linkTitle: String
    let linkHeading: String
    /// Explains the effect of the choice.
    ///
    /// Replaces ``signInChoose``.
    let linkChoose: String
    let linkWithOne: String
    let reauthenticateTitle: String
    let reauthenticateHeading: String
    /// The text before the account on the page; it ends with a colon.
    let linkAccount: String
    /// The text before the account on the page; it ends with a colon.
    let reauthenticateAccount: String
    /// Replaces the address or name of an account that has neither.
    let guestAccount: String
    let unnamedAccount: String
    let accountCaution: String

    let conflictTitle: String
    let conflictHeading: String
    let conflictBefore: String
    /// Ends with a colon, before the address.
    let conflictAddress: String
    let conflictChoose: String
    /// Replaces ``conflictChoose`` if no provider of the page can settle the conflict.
    let conflictElsewhere: String
    /// Replaces ``conflictElsewhere`` if the account has another identity of the same provider.
    let conflictSameProvider: String
    /// Says what the application receives after ``continueInApplication``.
    let conflictTold: String
    let continueInApplication: String
    let conflictOtherAccount: String
    /// The separator of the names in `signInMethods`.
    let listSeparator: String
    let signInByPassword: String
    let signInByPhone: String
    let signInByEmailLink: String
    let continueWith: String
    let cancel: String
    let destinationWebsite: String
    let destinationApplication: String
    let destinationThisDevice: String
    let signInCaution: String

    let factorHeading: String
    let factorLead: String
    let factorHint: String
    /// Does not say whether the code is wrong or was used.
    let factorInvalid: String

    let enterCodeHeading: String
    let enterCodeLead: String
    let codeLabel: String
    let codeHint: String
    let continueWithCode: String
    let codeUnknown: String
    let codeTooManyTries: String
    let codeMissing: String

    let confirmDeviceTitle: String
    let confirmDeviceHeading: String
    /// Ends with a colon, before the code.
    let confirmDeviceCode: String
    let confirmDeviceCaution: String

    let approveDeviceTitle: String
    let approveDeviceHeading: String
    /// Ends with a colon, before the user's name and the provider.
    let approveDeviceAccount: String
    /// Contains the first word of ``refuse``.
    let approveDeviceCaution: String
    let approve: String
    let refuse: String

    let deviceApprovedHeading: String
    let deviceApprovedLead: String
    let deviceRefusedHeading: String
    let deviceRefusedLead: String

    let returnHeading: String
    let formPostLead: String
    /// Replaces ``webMessageUndelivered`` after the message was posted.
    let webMessageDelivered: String
    /// The text for a window without an opener, and for a browser that runs no scripts.
    let webMessageUndelivered: String

    let homeHeading: String
    let homeLead: String

    let enterCodeLink: String
    /// A link on a problem page.
    let backToApplication: String
    let requestNote: String
    /// Ends with a colon, before the name of the language of the page.
    let languageLabel: String
    /// The labels of links to pages of the company.
    let privacyLink: String
    let termsLink: String
    let supportLink: String

    let problems: ProblemTexts
}

extension PageTexts {
    static func of(_ language: PageLanguage) -> Self {
        switch language {
        case .english: english
        case .hindi: hindi
        case .bengali: bengali
        case .persian: persian
        case .german: german
        case .french: french
        case .spanish: spanish
        case .portuguese: portuguese
        case .indonesian: indonesian
        case .arabic: arabic
        case .japanese: japanese
        }
    }

    /// All texts by the names of their properties, which the templates use.
    var sentences: [String: String] {
        var sentences: [String: String] = [:]
        for case (let name?, let text as String) in Mirror(reflecting: self).children { sentences[name] = text }
        return sentences
    }

    /// Joins the names of ways to sign in.
    func list(ofSignInMethods names: [String]) -> String {
        names.map { DisplayName.shown(name(ofSignInMethod: $0)) }.joined(separator: listSeparator)
    }

    /// Returns the text for Firebase's id of a way that has no provider, and any other name unchanged.
    func name(ofSignInMethod name: String) -> String {
        switch name {
        case "password": signInByPassword
        case "phone": signInByPhone
        case "emailLink": signInByEmailLink
        default: name
        }
    }

    func text(of problem: CodeProblem) -> String {
        switch problem {
        case .unknown: codeUnknown
        case .tooManyTries: codeTooManyTries
        case .missing: codeMissing
        }
    }
}

/// The texts about each problem in one language, as plain text.
struct ProblemTexts: Sendable {
    /// The problem in a few words, without a full stop, and advice for the user.
    struct Entry: Sendable {
        let heading: String
        let advice: String

        init(_ heading: String, _ advice: String) {
            self.heading = heading
            self.advice = advice
        }
    }

    let unknownApplication: Entry
    let redirectNotAllowed: Entry
    let malformedRequest: Entry
    let signInEnded: Entry
    let stateMismatch: Entry
    let deviceCodeTaken: Entry
    let deviceCodeEnded: Entry
    let deviceFormEnded: Entry
    let providerFailed: Entry
    let accessDenied: Entry
    let accountExists: Entry
    let secondFactorLocked: Entry
    let blockedByHook: Entry
    let emailDomainNotAllowed: Entry
    let tooManyRequests: Entry
    let unavailable: Entry
    let notFound: Entry
    let methodNotAllowed: Entry
    let unusableResponse: Entry
    let internalError: Entry

    subscript(problem: PageProblem) -> Entry {
        switch problem {
        case .unknownApplication: unknownApplication
        case .redirectNotAllowed: redirectNotAllowed
        case .malformedRequest: malformedRequest
        case .signInEnded: signInEnded
        case .stateMismatch: stateMismatch
        case .deviceCodeTaken: deviceCodeTaken
        case .deviceCodeEnded: deviceCodeEnded
        case .deviceFormEnded: deviceFormEnded
        case .providerFailed: providerFailed
        case .accessDenied: accessDenied
        case .accountExists: accountExists
        case .secondFactorLocked: secondFactorLocked
        case .blockedByHook: blockedByHook
        case .emailDomainNotAllowed: emailDomainNotAllowed
        case .tooManyRequests: tooManyRequests
        case .unavailable: unavailable
        case .notFound: notFound
        case .methodNotAllowed: methodNotAllowed
        case .unusableResponse: unusableResponse
        case .internalError: internalError
        }
    }
}
