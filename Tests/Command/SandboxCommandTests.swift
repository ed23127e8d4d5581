import Foundation
import Testing

@Suite("sandbox", .timeLimit(.minutes(5)))
struct SandboxCommandTests {
    @Test("sandbox prints its addresses, writes a valid configuration, and exits with 0 on SIGTERM")
    func configuration() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sandbox-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let sandbox = try RunningCommand(
            [
                "sandbox", "--yahoo-port", "0", "--x-port", "0", "--control-port", "0", "--google-port", "0",
                "--hostile-port", "0", "--write-config", folder.path,
            ], of: .lab)
        let control = try #require(try await sandbox.line(with: "control"))
        #expect(control.split(separator: " ").dropFirst().first?.hasPrefix("http://127.0.0.1:") == true)
        let outcome = try await Command.run(
            "config", "check", "--config", folder.appending(path: "token-exchange.yaml").path)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(!outcome.output.contains("warning"), "\(outcome)")
        for name in [
            "token-exchange.yaml", "service-account.json", "firebase-api-key", "yahoo-client-secret", "x-client-secret",
            "x-consumer-secret",
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
        sandbox.signal(SIGTERM)
        #expect(await sandbox.end() == 0)
        #expect(sandbox.errors.isEmpty)
    }

    @Test("A folder that cannot be written leads to exit code 1, and the message names it")
    func noFolder() async throws {
        let outcome = try await Command.run(
            "sandbox", "--yahoo-port", "0", "--x-port", "0", "--control-port", "0", "--google-port", "0",
            "--hostile-port", "0", "--write-config", "/proc/nothing", of: .lab)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("/proc/nothing cannot be written"), "\(outcome.errors)")
    }
}
