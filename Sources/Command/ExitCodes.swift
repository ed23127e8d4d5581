internal import ArgumentParser
internal import Foundation

/// What the process leaves with, by sysexits(3).
enum Exit {
    static let failure = ExitCode(1)
    static let usage = ExitCode(64)
    static let configuration = ExitCode(78)

    /// Says on standard error why, and gives the code to throw.
    static func because(_ message: String, _ code: ExitCode) -> ExitCode {
        FileHandle.standardError.write(Data("token-exchange: \(message)\n".utf8))
        return code
    }
}
