import Fixtures
import Foundation

/// The table of reasons in README.md.
enum ReasonTable {
    struct Malformed: Error {}

    /// Its rows: `| 400 | invalid_request | auth/argument-error | malformed_body, unknown_field |`, with each name in code
    /// marks.
    static func inREADME() throws -> [String: Contract.Row] {
        let text = try String(contentsOf: Fixtures.repository.appending(path: "README.md"), encoding: .utf8)
        guard let section = text.split(separator: "\n## Errors\n").last?.split(separator: "\n## ").first
        else { throw Malformed() }
        var rows: [String: Contract.Row] = [:]
        for line in section.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.filter { $0 != "`" && $0 != " " } }
            guard cells.count == 4, let status = Int(cells[0]) else { continue }
            for reason in cells[3].split(separator: ",").map(String.init) {
                guard rows[reason] == nil else { throw Malformed() }
                rows[reason] = Contract.Row(status: status, error: cells[1], code: cells[2])
            }
        }
        return rows
    }
}
