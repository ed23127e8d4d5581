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
