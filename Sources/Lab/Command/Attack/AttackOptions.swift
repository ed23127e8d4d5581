internal import ArgumentParser
internal import AttackLab
internal import CommandSupport
internal import Foundation

/// Which attacks, and whether they are only to be talked about.
struct AttackSelection: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Attacks by id; IDT-18 means its variants too, IDT- all that begin so.", valueName: "id"))
    var only: [String] = []

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Stages of the pipeline.", valueName: "stage"))
    var stage: [StageName] = []

    @Option(help: "A named set: oidc-rp, the relying-party modules of the OpenID Foundation that apply.")
    var profile: Profile?

    @Flag(
        help: """
            Leaves out what waits for deadlines of the server, and all variants of an attack but the first. With \
            --against naive: a single mistake is tried with the attacks that name it alone.
            """)
    var quick = false

    @Flag(help: "Lists the attacks.")
    var list = false

    @Option(help: ArgumentHelp("Explains one attack.", valueName: "id"))
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

    /// - Throws: Exit 64 where a name means nothing, or nothing is left.
    func attacks() throws -> [Attack] {
        for name in only + [explain].compactMap(\.self) where Catalogue.attacks(named: [name]).isEmpty {
            throw ValidationError("There is no attack \(name); --list names them all.")
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
        guard !attacks.isEmpty else { throw ValidationError("No attack is left of this choice.") }
        return attacks
    }

    func answer(_ attacks: [Attack]) -> String {
        let attacks = attacks.sorted { $0.stands(before: $1) }
        return explain == nil ? Explanation.list(attacks) : attacks.map(Explanation.text).joined(separator: "\n")
    }
}

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
