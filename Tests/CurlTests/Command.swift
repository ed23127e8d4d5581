import Foundation

/// A program that a test needs.
enum Command {
    enum Failure: Error {
        case missing(program: String, package: String)
        case failed(program: String, status: Int32, output: String)
    }

    /// Runs it to its end, and answers what it wrote.
    ///
    /// - Parameter package: the Debian package that a failing test names if the program is not there.
    @discardableResult
    static func run(
        _ program: String, from package: String, _ arguments: [String], in folder: URL? = nil
    ) throws -> Data {
        let places = ["/usr/bin", "/usr/sbin", "/bin", "/opt/homebrew/bin"]
        guard let place = places.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") })
        else { throw Failure.missing(program: program, package: package) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "\(place)/\(program)")
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let written = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure.failed(
                program: program, status: process.terminationStatus, output: String(decoding: written, as: UTF8.self))
        }
        return written
    }
}
