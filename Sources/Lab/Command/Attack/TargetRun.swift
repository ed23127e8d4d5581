internal import ArgumentParser
internal import AttackLab
internal import Foundation
internal import Settings

/// `attack --target`: attacks a server that this command did not start, at a limited rate.
struct TargetRun {
    let url: String
    let file: String
    /// The path of a key file, or the key as text.
    let sealKey: String?
    let attacks: [Attack]
    let reports: ReportOptions

    func run() async throws {
        let target = try load()
        let base = try permitted(target)
        let supplies = Supplies(
            idToken: target.idToken.flatMap { token in
                target.nonceVerifier.map { (token.secretText, $0.secretText) }
            },
            foreignIDToken: target.foreignIDToken?.secretText, accessToken: target.accessToken?.secretText)
        let lab = await Lab.target(
            base: base,
            application: Application(
                clientID: target.clientID, otherClientID: target.otherClientID, provider: target.provider,
                redirectURI: target.redirectURI, providerRedirectURI: target.providerRedirectURI,
                origin: target.origin),
            pace: Pace(perSecond: Double(target.requestsPerSecond), most: target.maximumRequests),
            supplies: supplies, sealKey: try stolenSealKey())
        let session = AttackSession(mode: "target", reports: reports)
        try session.finish(try await session.run([(lab, attacks)]))
    }

    private func stolenSealKey() throws -> StolenSealKey? {
        guard let sealKey else { return nil }
        guard let stolen = StolenSealKey(fileOrText: sealKey) else {
            throw ValidationError("--with-seal-key requires 32 bytes in a file, or in base64url without padding.")
        }
        return stolen
    }

    private func load() throws -> AttackTarget {
        do {
            return try SettingsLoader(environment: ProcessInfo.processInfo.environment).load(
                path: file, as: AttackTarget.read)
        } catch {
            throw Exit.because(
                "\(file) is invalid:\n"
                    + error.problems.map { "  \($0)" }.joined(separator: "\n"), Exit.configuration)
        }
    }

    /// Scheme, host and port, if the host may be attacked.
    ///
    /// - Throws: Exit 64.
    private func permitted(_ target: AttackTarget) throws -> String {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            let host = parts.host, !host.isEmpty, parts.path.isEmpty || parts.path == "/", parts.query == nil,
            parts.user == nil
        else {
            throw ValidationError(
                "--target requires scheme, host and port, for example https://staging.example.com:8443.")
        }
        guard ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host) || target.hosts.contains(host) else {
            throw ValidationError(
                "\(host) is not listed under hosts in \(file). Attack only your own servers, and list them there.")
        }
        return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }
}
