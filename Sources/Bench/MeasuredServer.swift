internal import Foundation
internal import Transport

/// The measured server, and what the kernel says of it.
struct MeasuredServer: Sendable {
    let url: String
    let adminURL: String
    let startup: Duration
    private let process: Process

    /// Starts it on a fresh store, and waits until it is ready.
    static func start(
        _ binary: String, folder: String, postgres: String?, issuer: String, transport: HTTPTransport
    ) async throws -> Self {
        let (port, adminPort) = (try await FreePort.find(), try await FreePort.find())
        let account = folder + "/service-account.json"
        try Data(try BenchFiles.serviceAccount()).write(to: URL(fileURLWithPath: account))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: account)
        let configuration = folder + "/bench.yaml"
        try BenchFiles.configuration(
            folder: folder, postgres: postgres, port: port, adminPort: adminPort, issuer: issuer
        )
        .write(toFile: configuration, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: configuration)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = ["serve", "--config", configuration]
        process.standardOutput = FileHandle.standardError
        let clock = ContinuousClock()
        let began = clock.now
        try process.run()
        while clock.now - began < .seconds(20) {
            let answer = try? await transport.send(
                OutboundRequest(.get, "http://127.0.0.1:\(adminPort)/readyz", timeout: .seconds(2)))
            guard process.isRunning else { throw BenchError.serverNotReady }
            if answer?.status == 200 {
                return Self(
                    url: "http://127.0.0.1:\(port)", adminURL: "http://127.0.0.1:\(adminPort)",
                    startup: clock.now - began, process: process)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        process.terminate()
        throw BenchError.serverNotReady
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    func cpuSeconds() throws -> Double { try ProcessorTime.seconds(of: "\(process.processIdentifier)") }

    var residentMegabytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
    }
}
