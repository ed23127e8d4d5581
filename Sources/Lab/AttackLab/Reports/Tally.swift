/// How many attacks came to which end.
package struct Tally: Sendable, Equatable {
    package private(set) var blocked = 0
    package private(set) var broken = 0
    package private(set) var inconclusive = 0
    package private(set) var notApplicable = 0

    package init(_ outcomes: [Outcome]) {
        for outcome in outcomes {
            switch outcome.verdict {
            case .blocked: blocked += 1
            case .broken: broken += 1
            case .inconclusive: inconclusive += 1
            case .notApplicable: notApplicable += 1
            }
        }
    }

    package var sentence: String {
        [
            "\(blocked) blocked", "\(broken) broken", "\(inconclusive) inconclusive",
            "\(notApplicable) not applicable here",
        ].joined(separator: ", ")
    }
}
