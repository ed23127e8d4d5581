internal import Foundation

/// What `openssl speed` says of one core: operations a second.
struct OpenSSLSpeed {
    let rsa2048Signatures: Double
    let p256Verifications: Double

    /// Runs it for a second each.
    static func measure() throws -> Self {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "speed", "-mr", "-seconds", "1", "rsa2048", "ecdsap256"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // +F2:2:2048:<seconds per signature>:<seconds per verification>, and +F4 alike for ECDSA.
        func seconds(_ line: String, _ bits: String, _ column: Int) throws -> Double {
            for row in text.split(separator: "\n") where row.hasPrefix(line) {
                let columns = row.split(separator: ":")
                if columns.count > column, columns[2] == bits, let value = Double(columns[column]) { return value }
            }
            throw BenchError.unreadableSpeed
        }
        return Self(
            rsa2048Signatures: 1 / (try seconds("+F2", "2048", 3)),
            p256Verifications: 1 / (try seconds("+F4", "256", 4)))
    }
}

/// Why there is no measurement.
enum BenchError: Error {
    case unreadableSpeed
    case serverNotReady
    case exchangeFailed(status: Int)
}
