import Fixtures
import Foundation

/// The error table of the contract, which the page `Errors.md` of the guide states.
enum Contract {
    struct Row: Sendable, Equatable {
        let status: Int
        let error: String
        let code: String
    }

    /// Reasons that other suites cover, because they need more than one request.
    static let elsewhere: Set<String> = [
        "fresh_login_unavailable", "lifetime_too_long", "fresh_login_unproven", "issued_unwatched", "account_gone",
        "provider_account_disabled", "merge_not_possible", "provider_refuses_us", "directory_unavailable",
        "clock_behind", "too_many_factors",
    ]

    struct Malformed: Error, Equatable {
        let line: String
    }

    /// What the guide says about a reason.
    struct Explanation: Equatable {
        let cause: String
        /// Who can remedy it.
        let actors: [String]
        let remedy: String
    }

    static func rows() throws -> [String: Row] { try read.get() }

    private static let read = Result { try table() }

    /// The table by status: `| 400 | invalid_request | auth/argument-error | malformed_body, unknown_field |`, with each
    /// name in code marks.
    private static func table() throws -> [String: Row] {
        var rows: [String: Row] = [:]
        for (line, cells) in try lines() {
            guard cells.count == 4, let status = Int(cells[0]) else { continue }
            for reason in cells[3].split(separator: ",").map({ name(String($0)) }) {
                guard rows[reason] == nil else { throw Malformed(line: line) }
                rows[reason] = Row(status: status, error: name(cells[1]), code: name(cells[2]))
            }
        }
        return rows
    }

    /// The tables of the groups: `| reason | cause | who | remedy |`, with the reason in code marks.
    ///
    /// A row without a cause, a known actor or a remedy is malformed.
    static func explanations() throws -> [String: Explanation] {
        var explanations: [String: Explanation] = [:]
        for (line, cells) in try lines() {
            guard cells.count == 4, cells[0].hasPrefix("`") else { continue }
            let (reason, actors) = (name(cells[0]), cells[2].split(separator: ",").map { name(String($0)) })
            guard explanations[reason] == nil, !cells[1].isEmpty, !cells[3].isEmpty, !actors.isEmpty,
                Set(actors).isSubset(of: ["application", "user", "operator"])
            else { throw Malformed(line: line) }
            explanations[reason] = Explanation(cause: cells[1], actors: actors, remedy: cells[3])
        }
        return explanations
    }

    /// The rows of all tables on the page, with the texts of their cells.
    private static func lines() throws -> [(line: String, cells: [String])] {
        let page = Fixtures.repository.appending(path: "Sources/Documentation/Guide.docc/Errors.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("| ") && $0.hasSuffix("|") }
            .map { line in
                let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                return (line, cells.map { $0.trimmingCharacters(in: .whitespaces) })
            }
    }

    private static func name(_ cell: String) -> String { cell.filter { $0 != "`" && $0 != " " } }
}
