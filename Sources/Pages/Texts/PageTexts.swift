/// All that the pages say in one language, but for the problems' own page.
///
/// A text is a Mustache fragment. `{{>application}}`, `{{>provider}}`, `{{>host}}`, `{{>scheme}}`, `{{>uidEnd}}` and
/// `{{>requestID}}` put a name where the sentence wants it, set apart from the text around it in direction and
/// emphasis. A title takes no element, so that titles say `{{>applicationInTitle}}`.
struct PageTexts: Sendable {
    /// Stands before the title of a page that reports an error.
    let error: String

    let signInTitle: String
    let signInHeading: String
    let signInChoose: String
    /// Instead of ``signInChoose``, where there is but one provider.
    let signInWithOne: String
    let linkTitle: String
    let linkHeading: String
    /// Tells what choosing does, where ``signInChoose`` asks.
    let linkChoose: String
    let linkWithOne: String
    let reauthenticateTitle: String
    let reauthenticateHeading: String
    /// Ends in a colon; the account follows.
    let linkAccount: String
    /// Ends in a colon; the account follows.
    let reauthenticateAccount: String
    /// Stands where other accounts have an address or a name.
    let guestAccount: String
    let unnamedAccount: String
    let accountCaution: String
    let continueWith: String
    let cancel: String
    let destinationWebsite: String
    let destinationApplication: String
    let destinationThisDevice: String
    let signInCaution: String

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
    /// Ends in a colon; the code follows.
    let confirmDeviceCode: String
    let confirmDeviceCaution: String

    let approveDeviceTitle: String
    let approveDeviceHeading: String
    /// Ends in a colon; person and provider follow.
    let approveDeviceAccount: String
    /// Names the first word of ``refuse``.
    let approveDeviceCaution: String
    let approve: String
    let refuse: String

    let deviceApprovedHeading: String
    let deviceApprovedLead: String
    let deviceRefusedHeading: String
    let deviceRefusedLead: String

    let enterCodeLink: String
    let requestNote: String

    let problems: ProblemTexts
}

extension PageTexts {
    static func of(_ language: PageLanguage) -> Self {
        switch language {
        case .english: english
        case .hindi: hindi
        case .bengali: bengali
        case .persian: persian
        }
    }

    /// Every text by the name of its property, by which the templates call it.
    var sentences: [String: String] {
        var sentences: [String: String] = [:]
        for case (let name?, let text as String) in Mirror(reflecting: self).children { sentences[name] = text }
        return sentences
    }

    func text(of problem: CodeProblem) -> String {
        switch problem {
        case .unknown: codeUnknown
        case .tooManyTries: codeTooManyTries
        case .missing: codeMissing
        }
    }
}

/// What the pages say about each problem in one language, in plain text.
struct ProblemTexts: Sendable {
    /// What happened, in a few words without a full stop, and what to do now.
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
    let providerFailed: Entry
    let accessDenied: Entry
    let tooManyRequests: Entry
    let unavailable: Entry
    let notFound: Entry
    let methodNotAllowed: Entry
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
        case .providerFailed: providerFailed
        case .accessDenied: accessDenied
        case .tooManyRequests: tooManyRequests
        case .unavailable: unavailable
        case .notFound: notFound
        case .methodNotAllowed: methodNotAllowed
        case .internalError: internalError
        }
    }
}
