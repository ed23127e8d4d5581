internal import Jansson
internal import Settings
internal import Stores

/// The ages of anonymous accounts as `accounts sweep --dry-run` prints them.
enum AnonymousAgeText {
    private static let usual = [1, 7, 30, 90].map { Duration.seconds($0 * 86400) }

    /// Returns the bounds of the ranges: 1, 7, 30 and 90 days, and the retention of the configuration.
    static func bounds(with retention: Duration?) -> [Duration] {
        guard let retention, !usual.contains(retention) else { return usual }
        return (usual + [retention]).sorted()
    }

    static func line(_ age: AnonymousAge) -> String {
        let (from, below) = (DurationText.write(age.from), age.below.map(DurationText.write))
        let range =
            switch (age.from == .zero, below) {
            case (true, let below?): "younger than \(below)"
            case (_, let below?): "\(from) to \(below)"
            case (_, nil): "\(from) or older"
            }
        return "\(range): \(age.count)"
    }

    /// Ages are in seconds.
    static func json(_ age: AnonymousAge) -> JSON {
        var members: [String: JSON] = [
            "from": .integer(age.from.components.seconds), "count": .integer(Int64(age.count)),
        ]
        members["below"] = age.below.map { .integer($0.components.seconds) }
        return .object(members)
    }
}
