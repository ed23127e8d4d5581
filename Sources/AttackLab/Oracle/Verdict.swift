package enum Verdict: Sendable, Equatable {
    case blocked
    case broken([Finding])
    /// The attack could not be carried through, so that nothing is known.
    case inconclusive(String)
    /// What it needs is not there.
    case notApplicable(Set<Need>)

    package var word: String {
        switch self {
        case .blocked: "blocked"
        case .broken: "broken"
        case .inconclusive: "inconclusive"
        case .notApplicable: "not applicable"
        }
    }
}

/// An honest step went wrong: nothing can be said of the attack.
struct Inconclusive: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}
