internal import ArgumentParser
internal import AttackLab
internal import Foundation
internal import Settings

/// The options that select attacks, or that only list or explain them.
struct AttackSelection: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Ids of attacks; IDT-18 includes its variants, and IDT- selects all ids that begin with it.",
            valueName: "id"))
    var only: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Stages of the pipeline whose attacks are selected.", valueName: "stage"))
    var stage: [StageName] = []

    @Option(
        help: "A named set of attacks: oidc-rp selects the applicable relying-party modules of the OpenID Foundation.")
    var profile: Profile?

    @Flag(
        help: """
            Skip attacks that wait for deadlines of the server, and all variants of an attack except the first. With \
            --against naive: try only the attacks that are meant to find the mistake, if there is a single one.
            """)
    var quick = false

    @Flag(help: "List the attacks.")
    var list = false

    @Option(help: ArgumentHelp("Explain one attack.", valueName: "id"))
    var explain: String?

    enum Profile: String, ExpressibleByArgument, CaseIterable {
        case relyingParty = "oidc-rp"
    }

    struct StageName: ExpressibleByArgument {
        let stage: Stage

        init?(argument: String) {
            guard let stage = Stage(rawValue: argument) else { return nil }
            self.stage = stage
        }

        static var allValueStrings: [String] { Stage.allCases.map(\.rawValue) }
    }

    var isQuestion: Bool { list || explain != nil }

    /// - Throws: Exit 64 if a name is unknown, or if no attack is left.
    func attacks() throws -> [Attack] {
        for name in only + [explain].compactMap(\.self) where Catalogue.attacks(named: [name]).isEmpty {
            throw ValidationError("There is no attack \(name). --list shows all attacks.")
        }
        var attacks = explain.map { Catalogue.attacks(named: [$0]) } ?? Catalogue.all
        if !only.isEmpty {
            let names = Set(Catalogue.attacks(named: only).map(\.id))
            attacks.removeAll { !names.contains($0.id) }
        }
        if !stage.isEmpty {
            let stages = Set(stage.map(\.stage))
            attacks.removeAll { !stages.contains($0.stage) }
        }
        if profile != nil {
            let names = Set(RelyingPartyProfile.modules.map(\.attack))
            attacks.removeAll { !names.contains($0.id) }
        }
        guard !attacks.isEmpty else { throw ValidationError("No attack matches all of these options.") }
        return attacks
    }

    func answer(_ attacks: [Attack]) -> String {
        let attacks = attacks.sorted { $0.stands(before: $1) }
        return explain == nil ? Explanation.list(attacks) : attacks.map(Explanation.text).joined(separator: "\n")
    }
}

/// The report files.
struct ReportOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write the report as a self-contained HTML page.", valueName: "file"))
    var html: String?

    @Option(help: ArgumentHelp("Write the report as JSON.", valueName: "file"))
    var json: String?

    @Option(
        help: ArgumentHelp("Write the report in JUnit's XML format, for continuous integration.", valueName: "file"))
    var junit: String?

    @Option(help: ArgumentHelp("Write the report as SARIF 2.1.0, for code-scanning services.", valueName: "file"))
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
