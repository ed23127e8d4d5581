internal import Foundation
internal import Jansson

/// Steps that make a server refuse its start.
extension Strike {
    /// Starts a server with one thing wrong, which must leave with 78 and say why in few words.
    ///
    /// - `secrets`: must not stand in what it says.
    func expectRefusedStart(
        _ name: String, secrets: [String] = [], _ change: (inout ServerPlan) throws -> Void
    ) async throws {
        let bed = try lab.needed(lab.testBed, "processes")
        var plan = ServerPlan("\(attack.id.lowercased())-\(name)")
        try change(&plan)
        let (code, output) = try await bed.refusal(plan)
        await expect(
            code == 78, .wrongAnswer,
            "With \(name) the server did not refuse to start: exit code \(code.map(String.init) ?? "none").")
        await expect(
            !output.isEmpty && output.utf8.count < 4000, .wrongAnswer,
            "With \(name) the server said \(output.utf8.count) bytes.")
        await expect(
            !secrets.contains { $0.utf8.count >= 8 && output.contains($0) }, .leaked,
            "With \(name) the server prints the secret.")
        if let sign = Disclosure.sign(in: output) {
            await found(.leaked, "With \(name) the server tells of the inside: \(sign)")
        }
    }

    /// Writes a file beside the configuration; its path.
    func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let bed = try lab.needed(lab.testBed, "processes")
        let path = "\(bed.folder)/\(attack.id.lowercased())-\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// The members of the service account that the usual server signs with.
    var serviceAccount: [String: JSON] {
        get throws {
            let bed = try lab.needed(lab.testBed, "processes")
            let bytes = FileManager.default.contents(atPath: bed.folder + "/service-account.json") ?? Data()
            guard let members = try? JSON.parse(Array(bytes), maximumBytes: 1 << 20).object else {
                throw Inconclusive("There is no service account.")
            }
            return members
        }
    }

    /// What a command of OpenSSL writes; the attack is inconclusive where there is none.
    func openssl(_ arguments: [String]) async throws -> String {
        let bed = try lab.needed(lab.testBed, "processes")
        let path = "\(bed.folder)/\(attack.id.lowercased())-openssl.log"
        try? FileManager.default.removeItem(atPath: path)
        let program = "/usr/bin/openssl"
        guard FileManager.default.isExecutableFile(atPath: program) else { throw Inconclusive("There is no openssl.") }
        let child = try ChildProcess(program, arguments, log: path)
        guard await child.hasEnded(within: .seconds(20)), child.exitCode == 0 else {
            throw Inconclusive("openssl \(arguments.first ?? "") failed.")
        }
        return child.log.text(since: 0)
    }
}
