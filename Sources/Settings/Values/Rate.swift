/// How often something may happen: `60/min`.
package struct Rate: Sendable, Equatable {
    package enum Unit: String, Sendable, CaseIterable {
        case second = "s"
        case minute = "min"
        case hour = "h"

        package var duration: Duration {
            switch self {
            case .second: .seconds(1)
            case .minute: .seconds(60)
            case .hour: .seconds(3600)
            }
        }
    }

    package let count: Int
    package let unit: Unit

    static func parse(_ text: String) -> Rate? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...7).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(parts[0]), count > 0,
            let unit = Unit(rawValue: String(parts[1]))
        else { return nil }
        return Rate(count: count, unit: unit)
    }
}

extension Rate: CustomStringConvertible {
    package var description: String { "\(count)/\(unit.rawValue)" }
}

extension Entry {
    /// `.some(nil)` where it is switched off, `nil` with a problem where it is neither.
    func rateOrOff() -> Rate?? {
        if isOff { return .some(nil) }
        guard let rate = writtenText.flatMap(Rate.parse) else {
            return refusing("write a rate such as 60/min (s, min or h), or off")
        }
        return rate
    }
}
