internal import ArgumentParser
internal import AttackLab
internal import Foundation

struct AttackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Fires a catalogue of attacks at a server, and reports which were blocked.",
        discussion: """
            Blocked means: nothing was given away, the answer is the contract's, no forbidden request was counted, nothing \
            was used up, no secret came back or was logged, and a good sign-in worked afterwards.

              token-exchange-lab attack --sandbox --html report.html
              token-exchange-lab attack --target https://staging.example.com --config target.yaml
              token-exchange-lab attack --against naive --mistakes audience-unchecked,state-reused
              token-exchange-lab attack --explain IDT-41

            --sandbox starts a server and stand-ins of its own and tries everything. --target is for a server that you may \
            attack: loopback, or a host that the file names; the pace is bounded by the file. --against naive breaks a \
            reference server with the mistakes that it is told to make, and leaves with 0 where each was found; with one mistake, \
            or none, only where nothing else was.

            Exit codes: 0 all that could be tried was blocked, 1 not so, 64 wrong use, 78 wrong file.
            """)

    @Flag(help: "Attack a server that is started for it, with stand-ins for the providers.")
    var sandbox = false

    @Option(help: ArgumentHelp("Attack this server: scheme, host and port.", valueName: "url"))
    var target: String?

    @Option(help: ArgumentHelp("What may be done to the target, and with what.", valueName: "file"))
    var config: String?

    @Option(help: "Attack the naive backend, the only choice.")
    var against: Opponent?

    @Option(
        help: "With --against naive: mistakes by name, with commas between; all, none, or each, one after the other.")
    var mistakes = "all"

    @OptionGroup(title: "Which attacks")
    var selection: AttackSelection

    @OptionGroup(title: "Reports")
    var reports: ReportOptions

    @Option(
        help: ArgumentHelp(
            "With --sandbox: the store of the server under attack. By default a SQLite file of its own.",
            valueName: "url"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "With --sandbox: the token-exchange to attack. By default the one beside this program.", valueName: "file"))
    var program: String?

    @Option(
        help: ArgumentHelp(
            "Keeps logs, databases and configurations in this folder. They hold secrets of the stand-ins.",
            valueName: "folder"))
    var keep: String?

    @Option(
        help: ArgumentHelp(
            "With --target: the server's seal key, to forge with it what it can seal. The sandbox knows its own.",
            valueName: "file|value"))
    var withSealKey: String?

    enum Opponent: String, ExpressibleByArgument {
        case naive
    }

    func validate() throws {
        let modes = [sandbox, target != nil, against != nil].count { $0 }
        if selection.isQuestion {
            guard modes == 0 else {
                throw ValidationError("--list and --explain attack nothing: leave the server out.")
            }
        } else if modes != 1 {
            throw ValidationError("Say what to attack: one of --sandbox, --target and --against naive.")
        }
        if (target == nil) != (config == nil) { throw ValidationError("--target and --config belong together.") }
        if withSealKey != nil, target == nil { throw ValidationError("--with-seal-key belongs to --target.") }
        if program != nil, !sandbox { throw ValidationError("--program belongs to --sandbox.") }
        if store != nil, !sandbox { throw ValidationError("--store belongs to --sandbox.") }
    }

    func run() async throws {
        let attacks = try selection.attacks()
        if selection.isQuestion { return print(selection.answer(attacks), terminator: "") }
        // Against the naive backend the quick way is another: see there.
        let chosen = selection.quick && against == nil ? Catalogue.quick(attacks) : attacks
        let workspace = try AttackWorkspace(server: program, folder: keep)
        defer { workspace.clear() }
        if let target, let config {
            try await TargetRun(
                url: target, file: config, sealKey: withSealKey, attacks: chosen, reports: reports
            ).run()
        } else if against != nil {
            try await NaiveRun(
                workspace: workspace, attacks: attacks, mistakes: mistakes, isQuick: selection.quick, reports: reports
            ).run()
        } else {
            try workspace.requireServer()
            try await SandboxRun(
                workspace: workspace, attacks: chosen, store: store, profile: selection.profile, reports: reports
            ).run()
        }
    }
}
