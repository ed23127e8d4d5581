internal import ArgumentParser
internal import Firebase
internal import Foundation
internal import JOSE
internal import Jansson
internal import Server
internal import Settings
internal import Standards
internal import Transport

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Explains why sign-ins would fail, before they do.",
        discussion: """
            Checks the configuration against the world: clock, files, store, service account, Google's permissions, and the \
            registration at each provider. It calls Google and the providers as the server would, signs in no person, \
            changes no row of the store except one of its own, and prints no secret. Run it as the user of the server.

            With --sign-in it instead walks a sign-in at one provider through your own browser, with the redirect URI of \
            the server, and shows what the provider did at each step. The server shows an error page then, because the \
            sign-in is not its own; copy the address of that page to this command. It makes no account and no custom token.

            Exit codes: 0 if nothing must be done, 2 for warnings only, 1 for an error, 78 for a configuration that \
            config check refuses.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "The format of the findings: text or json.")
    var format = Format.text

    @Option(
        help: ArgumentHelp(
            "Walk a sign-in at this provider, such as yahoo.com, instead of the other checks.", valueName: "provider"))
    var signIn: ProviderID?

    @Option(help: ArgumentHelp("With --sign-in: the flow, such as oauth1 or oauth2 at twitter.com."))
    var flow: String?

    @Option(
        help: ArgumentHelp(
            "With --sign-in: a redirect URI that is registered at the provider.",
            discussion: "If it is http with a loopback address and a port, the command listens there itself.",
            valueName: "uri"))
    var redirectURI: String?

    func validate() throws {
        guard signIn != nil || (flow == nil && redirectURI == nil) else {
            throw ValidationError("--flow and --redirect-uri belong to --sign-in.")
        }
    }

    func run() async throws {
        let (settings, ofFiles) = try await options.loadForOperator()
        let report = try await CommandTransport.use(settings) { transport in
            if let signIn { return try await walk(settings, provider: signIn, transport) }
            return try await Self.report(settings, ofFiles, transport)
        }
        switch format {
        case .text: print(report.text)
        case .json: print(String(decoding: report.json.serialized(), as: UTF8.self))
        }
        guard report.exitCode == .success else { throw report.exitCode }
    }

    private func walk(
        _ settings: Settings, provider: ProviderID, _ transport: HTTPTransport
    ) async throws -> DoctorReport {
        let inbox = RedirectInbox()
        // Standard output has only the findings.
        let check = try SignInCheck(
            settings, provider: provider, flow: flow, redirectURI: redirectURI, transport: transport, time: .system,
            inbox: inbox
        ) { text in
            try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
        }
        guard let redirectURI, let place = LoopbackListener.Place(redirectURI) else {
            check.explain(isListening: false)
            inbox.readStandardInput(endsWithInput: true)
            return DoctorReport(findings: await check.findings())
        }
        let listener: LoopbackListener
        do {
            listener = try await LoopbackListener.open(at: place) { inbox.put(.address($0)) }
        } catch {
            let advice = BindFailure.sentence(error, changing: "the port in --redirect-uri")
            throw Exit.because("--redirect-uri: port \(place.port) cannot be used: \(advice)", Exit.failure)
        }
        check.explain(isListening: true)
        inbox.readStandardInput(endsWithInput: false)
        let findings = await check.findings()
        await listener.close()
        return DoctorReport(findings: findings)
    }

    private static func report(
        _ settings: Settings, _ ofFiles: [String], _ transport: HTTPTransport
    ) async throws -> DoctorReport {
        let clocks = PeerClocks(time: .system)
        let observed = clocks.observing(transport)
        let google = try GoogleChecks(settings, transport: observed, time: .system)
        let providers = try ProviderChecks(settings, transport: observed, time: .system)
        // The groups do not depend on each other, so that a slow peer delays no other check.
        async let ofGoogle = google.findings()
        async let ofProviders = providers.findings()
        // This server's own clock is no witness for that of its machine.
        async let ofAddress = PublicAddressCheck(
            settings.server.publicURL,
            plainRedirect: settings.clients.lazy.filter { $0.grants.contains(.authorizationCode) }
                .compactMap { client in
                    client.redirectURIs.first { $0.hasPrefix("http://") }.map { (client.id.text, $0) }
                }.first,
            transport: transport, time: .system
        ).findings()
        let metadata = settings.firebase.endpoints.metadata
        let ofStore = await StoreChecks(settings) { await ServerRegion.find(origin: metadata, transport: transport) }
            .findings()
        let ofMachine =
            try ofFiles.map {
                Finding("configuration", .error, "\($0).", remedy: "serve does not start until this is resolved.")
            } + MachineChecks(settings, time: .system).findings()
        let others = await ofAddress + ofGoogle + ofProviders
        return DoctorReport(findings: ofMachine + ofSecrets(settings) + clocks.findings() + ofStore + others)
    }

    /// The secrets of Secret Manager.
    ///
    /// One that cannot be read is a problem of the configuration, so that no check runs.
    private static func ofSecrets(_ settings: Settings) -> [Finding] {
        settings.secretVersions.sorted { $0.key.description < $1.key.description }.map { name, version in
            Finding("google.secret", of: name.description, .ok, "\(version) can be read.")
        }
    }
}
