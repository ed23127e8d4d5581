import Foundation

/// A tool of the Swift toolchain, run to its end.
enum Tool {
    struct Outcome: Sendable {
        let status: Int32
        let output: Data
        let errors: String
    }

    static func run(_ arguments: [String]) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The output goes to files, since a full pipe that is not read would block the tool.
        let (output, errors) = (folder.appending(path: "out"), folder.appending(path: "err"))
        for file in [output, errors] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            ended.yield($0.terminationStatus)
            ended.finish()
        }
        try process.run()
        let status = await ends.first { _ in true } ?? -1
        return Outcome(
            status: status, output: try Data(contentsOf: output),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
