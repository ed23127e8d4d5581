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

    /// The sections of the reasons: a heading of the fourth level with the reason, a paragraph with the cause, and a paragraph
    /// `*Application, operator:* remedy`.
    ///
    /// A section with other paragraphs, or without a known actor, is malformed.
    static func explanations() throws -> [String: Explanation] {
        var explanations: [String: Explanation] = [:]
        for section in try text().split(separator: "\n#### ").dropFirst() {
            let own = section.prefix(upTo: section.firstRange(of: "\n##")?.lowerBound ?? section.endIndex)
            let parts = own.split(separator: "\n\n").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            guard parts.count == 3, let match = parts[2].wholeMatch(of: /\*([A-Z][a-z, ]+):\* (.+)/) else {
                throw Malformed(line: String(section))
            }
            let (reason, actors) = (parts[0], match.1.lowercased().split(separator: ", ").map(String.init))
            guard explanations[reason] == nil, !actors.isEmpty,
                Set(actors).isSubset(of: ["application", "user", "operator"])
            else { throw Malformed(line: parts[0]) }
            explanations[reason] = Explanation(cause: parts[1], actors: actors, remedy: String(match.2))
        }
        return explanations
    }

    private static func text() throws -> String {
        let page = Fixtures.repository.appending(path: "Sources/Documentation/Guide.docc/Errors.md")
        return try String(contentsOf: page, encoding: .utf8)
    }

    /// The rows of all tables on the page, with the texts of their cells.
    private static func lines() throws -> [(line: String, cells: [String])] {
        try text().split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("| ") && $0.hasSuffix("|") }
            .map { line in
                let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                return (line, cells.map { $0.trimmingCharacters(in: .whitespaces) })
            }
    }

    private static func name(_ cell: String) -> String { cell.filter { $0 != "`" && $0 != " " } }
}
