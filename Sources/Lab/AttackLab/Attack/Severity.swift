/// What success would give the attacker.
package enum Severity: String, CaseIterable, Sendable, Comparable {
    /// Little by itself.
    case low
    /// A way to trouble one person, or knowledge that helps with more.
    case medium
    /// A sign-in burnt, a secret seen, a server out of service.
    case high
    /// A sign-in as another person.
    case critical

    package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .low: 0
        case .medium: 1
        case .high: 2
        case .critical: 3
        }
    }
}
