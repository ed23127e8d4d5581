internal import ArgumentParser
internal import Foundation

/// What the process leaves with, by sysexits(3); wrong use of the command line, 64, is told by the parser.
enum Exit {
    static let failure = ExitCode(1)
    static let configuration = ExitCode(78)

    /// Says on standard error why, and gives the code to throw.
    static func because(_ message: String, _ code: ExitCode) -> ExitCode {
        say(message)
        return code
    }

    /// One line on standard error; lost where there is nobody to read it.
    static func say(_ message: String) {
        try? FileHandle.standardError.write(contentsOf: Data("token-exchange: \(message)\n".utf8))
    }
}
