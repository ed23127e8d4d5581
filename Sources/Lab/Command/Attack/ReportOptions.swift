internal import ArgumentParser
internal import AttackLab
internal import CommandSupport
internal import Foundation

/// Where reports go beside the terminal.
struct ReportOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Writes a page for a browser that needs nothing beside itself.", valueName: "file"))
    var html: String?

    @Option(help: ArgumentHelp("Writes JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Writes JUnit's XML, for continuous integration.", valueName: "file"))
    var junit: String?

    @Option(help: ArgumentHelp("Writes SARIF 2.1.0, for code-scanning services.", valueName: "file"))
    var sarif: String?

    func write(_ report: Report) throws {
        if let html { try store(HTMLReport.text(report), at: html) }
        if let json { try store(JSONReport.text(report), at: json) }
        if let junit { try store(JUnitReport.text(report), at: junit) }
        if let sarif {
            try store(SARIFReport.text(report, version: programVersion), at: sarif)
        }
    }

    private func store(_ text: String, at path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Exit.because("\(path) cannot be written: \(error.localizedDescription)", Exit.failure)
        }
    }
}
