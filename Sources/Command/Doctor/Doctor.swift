internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import JOSE
internal import Jansson
internal import Settings
internal import Transport

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Explains why sign-ins would fail, before they do.",
        discussion: """
            Checks the configuration against the world: clock, files, store, service account, Google's permissions, and the \
            registration at each provider. It calls Google and the providers as the server would, signs in no person, \
            changes no row of the store, and prints no secret. Run it as the user of the server.

            Exit codes: 0 if nothing must be done, 2 for warnings only, 1 for an error, 78 for a configuration that \
            config check refuses.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "The format of the findings: text or json.")
    var format = Format.text

    func run() async throws {
        let settings = try options.load()
        let findings = try await CommandTransport.use { try await Self.report(settings, $0) }
        switch format {
        case .text: print(findings.text)
        case .json: print(String(decoding: findings.json.serialized(), as: UTF8.self))
        }
        guard findings.exitCode == .success else { throw findings.exitCode }
    }

    private static func report(_ settings: Settings, _ transport: HTTPTransport) async throws -> DoctorReport {
        let clocks = PeerClocks(time: .system)
        let transport = clocks.observing(transport)
        let google = try GoogleChecks(settings, transport: transport, time: .system)
        let providers = try ProviderChecks(settings, transport: transport, time: .system)
        // The groups do not depend on each other, so that a slow peer delays no other check.
        async let ofGoogle = google.findings()
        async let ofProviders = providers.findings()
        async let ofAddress = PublicAddressCheck(settings.server.publicURL, transport: transport).findings()
        let ofStore = await StoreChecks(settings).findings()
        let ofMachine = try MachineChecks(settings, time: .system).findings()
        let others = await ofAddress + ofGoogle + ofProviders
        return DoctorReport(findings: ofMachine + clocks.findings() + ofStore + others)
    }
}
