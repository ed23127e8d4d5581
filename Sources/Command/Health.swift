internal import ArgumentParser
internal import Jansson
internal import Settings
internal import Transport

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Asks the running server whether sign-ins can succeed, for the health check of a container.",
        discussion: """
            Calls GET /readyz on the admin listener of the configuration, on this machine, and prints what is wrong. With \
            admin_listen: off it calls the public listener. Exit codes: 0 if the server is ready; 78 for a configuration that \
            config check refuses; 1 otherwise.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("The maximum time in seconds.", valueName: "seconds"))
    var timeout = 5

    func validate() throws {
        guard (1...60).contains(timeout) else { throw ValidationError("--timeout must be from 1 to 60 seconds.") }
    }

    func run() async throws {
        // The server has judged the files at its start.
        var options = options
        (options.allowInsecurePermissions, options.allowNetworkFilesystem) = (true, true)
        // A check that runs every few seconds must not call Secret Manager; it needs no secret.
        let settings = try options.loadOffline().settings
        let address = settings.server.adminListen ?? settings.server.listen
        guard address.port != 0 else {
            let key = settings.server.adminListen == nil ? "server.listen" : "server.admin_listen"
            throw Exit.because("\(key) has no fixed port: write one", Exit.configuration)
        }
        let request = OutboundRequest(.get, "http://\(address.localText)/readyz", timeout: .seconds(timeout))
        let outcome = try await CommandTransport.use(settings) { await $0.result(of: request) }
        switch outcome {
        case .success(let response) where response.status == 200: print("ready")
        case .success(let response):
            let failing = (try? JSON.parse(response.body))?["failing"]?.array?.compactMap(\.string) ?? []
            let problem =
                failing.isEmpty
                ? "\(address) answers with the status \(response.status)" : failing.joined(separator: ", ")
            throw Exit.because("not ready: \(problem)", Exit.failure)
        case .failure(let error):
            throw Exit.because("no answer at \(address): \(error.sentence)", Exit.failure)
        }
    }
}
