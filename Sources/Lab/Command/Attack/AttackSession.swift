internal import ArgumentParser
internal import AttackLab
internal import Foundation
internal import Glibc
internal import Settings

/// Runs attacks in one or more lanes in parallel, and combines the results in one report.
struct AttackSession {
    let mode: String
    let reports: ReportOptions

    /// Runs the attacks of each lane one after the other.
    func run(_ lanes: [(lab: Lab, attacks: [Attack])]) async throws -> Report {
        let attacks = lanes.flatMap(\.attacks)
        let screen = AttackScreen(count: attacks.count)
        let begin = ContinuousClock.now
        let startedAt = Date().formatted(.iso8601)
        let outcomes = await withTaskGroup(of: [Outcome].self) { group in
            for (number, lane) in lanes.enumerated() {
                group.addTask {
                    await Runner(lab: lane.lab, lane: number).run(lane.attacks) { await screen.show($0) }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        await screen.end()
        return Report(
            mode: mode, target: lanes.first?.lab.server.base ?? "", startedAt: startedAt,
            duration: begin.duration(to: .now),
            outcomes: outcomes.sorted { $0.attack.stands(before: $1.attack) })
    }

    /// Writes all reports and the table.
    ///
    /// Throws exit code 1 unless the report is clean.
    func finish(_ report: Report) throws {
        try reports.write(report)
        print(TerminalReport(hasColours: AttackScreen.hasColours(STDOUT_FILENO)).summary(report), terminator: "")
        guard report.isClean else { throw Exit.failure }
    }
}

/// The output while attacks run: alarms, and on a terminal also a progress line.
actor AttackScreen {
    private let count: Int
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let terminal: TerminalReport
    private var done = 0

    init(count: Int) {
        self.count = count
        terminal = TerminalReport(hasColours: Self.hasColours(STDERR_FILENO))
    }

    /// https://no-color.org: every value except an empty one disables colours.
    static func hasColours(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    func show(_ outcome: Outcome) {
        done += 1
        if let alarm = terminal.alarm(outcome) { write((isTerminal ? "\r\u{1B}[2K" : "") + alarm) }
        if isTerminal { write(terminal.progress(done, of: count, outcome)) }
    }

    func end() {
        if isTerminal { write("\r\u{1B}[2K") }
    }

    private func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

extension Exit {
    /// Returns errors of the argument parser unchanged, and turns other errors into a message with exit code 1.
    static func unlessAsked(_ error: any Error) -> any Error {
        if error is ExitCode || error is ValidationError { return error }
        return because("the attacks could not be run: \(error)", failure)
    }
}
