package enum Verdict: Sendable, Equatable {
    case blocked
    case broken([Finding])
    /// The attack could not be carried through, so that nothing is known.
    case inconclusive(String)
    /// What it needs is not there.
    case notApplicable(Set<Need>)

    package var isBroken: Bool {
        if case .broken = self { true } else { false }
    }

    package var isInconclusive: Bool {
        if case .inconclusive = self { true } else { false }
    }

    /// Whether it may be the machine's doing.
    var isDoubtful: Bool {
        switch self {
        case .blocked, .notApplicable: false
        case .inconclusive: true
        case .broken(let findings): findings.allSatisfy { $0.kind == .slow }
        }
    }

    package var isNotApplicable: Bool {
        if case .notApplicable = self { true } else { false }
    }

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
struct Inconclusive: Error, CustomStringConvertible {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }

    var description: String { sentence }
}
