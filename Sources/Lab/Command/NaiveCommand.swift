internal import ArgumentParser
internal import AttackLab
internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import Settings
internal import UnixSignals

struct NaiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "naive",
        abstract: "Runs a small backend that makes known mistakes on purpose, as a target for attacks.",
        discussion: """
            It runs beside the sandbox, signs in only users of the sandbox, and is not part of token-exchange. Without \
            --mistakes it makes no mistakes.

              token-exchange-lab naive --list
              token-exchange-lab attack --against naive --mistakes audience-unchecked
            """)

    @Option(help: "The port; 0 for any free port.")
    var port = 8087

    @Option(help: ArgumentHelp("The control address of the sandbox.", valueName: "url"))
    var control = "http://127.0.0.1:8083"

    @Option(help: ArgumentHelp("The address of Yahoo's stand-in.", valueName: "url"))
    var yahoo = "http://127.0.0.1:8081"

    @Option(help: ArgumentHelp("The address of X's stand-in.", valueName: "url"))
    var x = "http://127.0.0.1:8082"

    @Option(help: ArgumentHelp("The service account that signs custom tokens.", valueName: "file"))
    var serviceAccount = "var/sandbox/service-account.json"

    @Option(help: ArgumentHelp("A folder for used credentials and the log.", valueName: "folder"))
    var state = "var/naive"

    @Option(help: "Names of mistakes, separated by commas; all; or none.")
    var mistakes = "none"

    @Flag(help: "List the mistakes.")
    var list = false

    func run() async throws {
        if list {
            for mistake in Mistake.allCases { print("\(mistake.rawValue)  \(mistake.sentence) (\(mistake.source))") }
            return
        }
        let logger = Logger.warnings
        let backend = NaiveBackend(
            port: port,
            surroundings: .init(control: control, yahoo: yahoo, x: x, serviceAccount: serviceAccount, state: state),
            mistakes: try MistakeList.read(mistakes), logger: logger
        ) { port in
            FileHandle.standardOutput.write(Data("naive    http://127.0.0.1:\(port)\n".utf8))
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [backend], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch {
            throw Exit.because("the naive backend cannot run at port \(port): \(error)", Exit.failure)
        }
    }
}
