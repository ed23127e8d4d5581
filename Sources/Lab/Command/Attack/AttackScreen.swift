internal import AttackLab
internal import Foundation
internal import Glibc

/// What is shown while attacks run: a line that moves where there is a terminal, and alarms in any case.
actor AttackScreen {
    private let count: Int
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let terminal: TerminalReport
    private var done = 0

    init(count: Int) {
        self.count = count
        terminal = TerminalReport(hasColours: Self.hasColours(STDERR_FILENO))
    }

    /// https://no-color.org: any value but an empty one says no.
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
