/// The output for a terminal, line by line.
package struct TerminalReport: Sendable {
    private let hasColours: Bool

    package init(hasColours: Bool) { self.hasColours = hasColours }

    /// Returns a progress line, which the next one overwrites.
    package func progress(_ done: Int, of count: Int, _ outcome: Outcome) -> String {
        let width = 24
        let filled = count == 0 ? width : done * width / count
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\r\u{1B}[2K\(bar) \(done)/\(count)  \(outcome.attack.id)"
    }

    /// Returns the lines about an attack that was not blocked; `nil` for any other attack.
    package func alarm(_ outcome: Outcome) -> String? {
        let word: String
        switch outcome.verdict {
        case .broken: word = coloured("BROKEN", 31)
        case .inconclusive: word = coloured("UNKNOWN", 33)
        case .blocked, .notApplicable: return nil
        }
        let lines = outcome.remarks.map { "         \($0)\n" }.joined()
        return "\(word)  \(outcome.attack.id) (\(outcome.attack.severity.rawValue))  \(outcome.attack.sentence)\n"
            + lines
    }

    /// Returns the table at the end.
    package func summary(_ report: Report) -> String {
        let rows = report.stages.map { stage, outcomes in
            let tally = Tally(outcomes)
            let seconds = outcomes.reduce(0) { $0 + $1.seconds }
            return [
                stage.title, number(tally.blocked), number(tally.broken), number(tally.inconclusive),
                number(tally.notApplicable), "\(Int(seconds.rounded())) s",
            ]
        }
        let table = Self.table([["stage", "blocked", "broken", "inconclusive", "not here", "time"]] + rows)
        let tally = Tally(report.outcomes)
        let verdict =
            if report.isClean {
                coloured("Every attack that could be tried was blocked.", 32)
            } else if tally.broken == 0, tally.blocked == 0 {
                coloured("No attack could be tried.", 33)
            } else if tally.broken == 0 {
                coloured("No attack succeeded, but not all could be carried through.", 33)
            } else {
                coloured(tally.broken == 1 ? "One attack succeeded." : "\(tally.broken) attacks succeeded.", 31)
            }
        return "\n\(table)\n\(tally.sentence), in \(Int(report.duration / .seconds(1))) s.\n\(verdict)\n"
    }

    /// Returns a table whose first column is aligned left, and the others right.
    package static func table(_ rows: [[String]]) -> String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.compactMap { $0.dropFirst(column).first?.count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }.joined(separator: "  ") + "\n"
        }.joined()
    }

    private func number(_ count: Int) -> String { count == 0 ? "·" : String(count) }

    private func coloured(_ text: String, _ code: Int) -> String {
        hasColours ? "\u{1B}[1;\(code)m\(text)\u{1B}[0m" : text
    }
}
