internal import ArgumentParser
internal import AttackLab
internal import Foundation

struct AttackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Runs a catalogue of attacks against a server, and reports which were blocked.",
        discussion: """
            An attack counts as blocked if the server issued nothing, answered as its API description says, sent no forbidden \
            request, used up no credential, neither returned nor logged a secret, and if a correct sign-in worked afterwards.

              token-exchange-lab attack --sandbox --html report.html
              token-exchange-lab attack --target https://staging.example.com --config target.yaml
              token-exchange-lab attack --against naive --mistakes audience-unchecked,state-reused
              token-exchange-lab attack --explain IDT-41

            --sandbox starts its own server and stand-ins, and tries all attacks. --target attacks a server that you may \
            attack: on loopback, or on a host that the file names, at a rate that the file limits. --against naive attacks a \
            backend with the given mistakes; the exit code is 0 if every mistake was found and, with one mistake or none, no \
            other attack succeeded.

            Exit codes: 0 every attack that could be tried was blocked, 1 an attack succeeded or was inconclusive, \
            64 wrong arguments, 78 invalid file.
            """)

    @Flag(help: "Start a server with stand-ins for the providers, and attack it.")
    var sandbox = false

    @Option(help: ArgumentHelp("Attack this server: scheme, host and port.", valueName: "url"))
    var target: String?

    @Option(
        help: ArgumentHelp(
            "The file that says what may be done to the target, and with which credentials.", valueName: "file"))
    var config: String?

    @Option(help: "Attack a backend that makes mistakes on purpose; the only choice is naive.")
    var against: Opponent?

    @Option(
        help: "With --against naive: names of mistakes separated by commas; all; none; or each, one after the other.")
    var mistakes = "all"

    @OptionGroup(title: "Which attacks")
    var selection: AttackSelection

    @OptionGroup(title: "Reports")
    var reports: ReportOptions

    @Option(
        help: ArgumentHelp(
            "With --sandbox: the store of the server under attack. By default a new SQLite file.",
            valueName: "url"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "With --store firestore://…: the address of Google's emulator, such as 127.0.0.1:8081.",
            valueName: "host:port"))
    var storeEmulatorHost: String?

    @Option(
        help: ArgumentHelp(
            "With --sandbox: the token-exchange to attack. By default the one in the folder of this program.",
            valueName: "file"))
    var program: String?

    @Option(
        help: ArgumentHelp(
            "Keep logs, databases and configurations in this folder. They contain secrets of the stand-ins.",
            valueName: "folder"))
    var keep: String?

    @Option(
        help: ArgumentHelp(
            "With --target: the server's seal key, for attacks that forge sealed values. With --sandbox it is known.",
            valueName: "file|value"))
    var withSealKey: String?

    enum Opponent: String, ExpressibleByArgument {
        case naive
    }

    func validate() throws {
        let modes = [sandbox, target != nil, against != nil].count { $0 }
        if selection.isQuestion {
            guard modes == 0 else {
                throw ValidationError("--list and --explain attack nothing. Remove --sandbox, --target and --against.")
            }
        } else if modes != 1 {
            throw ValidationError("Choose what to attack: --sandbox, --target or --against naive.")
        }
        if (target == nil) != (config == nil) { throw ValidationError("--target and --config require each other.") }
        if withSealKey != nil, target == nil { throw ValidationError("--with-seal-key requires --target.") }
        if program != nil, !sandbox { throw ValidationError("--program requires --sandbox.") }
        if store != nil, !sandbox { throw ValidationError("--store requires --sandbox.") }
        if storeEmulatorHost != nil, store == nil {
            throw ValidationError("--store-emulator-host requires --store.")
        }
    }

    func run() async throws {
        let attacks = try selection.attacks()
        if selection.isQuestion { return print(selection.answer(attacks), terminator: "") }
        // Against the naive backend, --quick has another meaning; see NaiveRun.
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
                workspace: workspace, attacks: chosen,
                store: store.map { TestBed.Store(url: $0, emulator: storeEmulatorHost) },
                profile: selection.profile, reports: reports
            ).run()
        }
    }
}
