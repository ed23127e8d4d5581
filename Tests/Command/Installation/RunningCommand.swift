import Foundation

/// A running process, whose output goes to files that are deleted with this object.
final class RunningCommand: Sendable {
    private let folder: URL
    let identifier: pid_t
    private let statuses: AsyncStream<Int32>

    init(
        _ arguments: [String], of program: Command.Program = .server, environment: [String: String] = [:],
        input: String = "", output: FileHandle? = nil
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "command-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in [("in", input), ("out", ""), ("err", "")] {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let process = Process()
        process.executableURL = program.file
        process.arguments = arguments
        process.environment = environment
        // The command has copies of them. Process keeps its own ones open as long as it lives.
        let files = [
            try FileHandle(forReadingFrom: folder.appending(path: "in")),
            try FileHandle(forWritingTo: folder.appending(path: "out")),
            try FileHandle(forWritingTo: folder.appending(path: "err")),
        ]
        defer { for file in files { try? file.close() } }
        process.standardInput = files[0]
        process.standardOutput = output ?? files[1]
        process.standardError = files[2]
        let (statuses, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            // A process that a signal killed has no exit code.
            ended.yield(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
            ended.finish()
        }
        try process.run()
        self.folder = folder
        identifier = process.processIdentifier
        self.statuses = statuses
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var output: String { text("out") }
    var errors: String { text("err") }

    func signal(_ number: Int32) {
        kill(identifier, number)
    }

    /// Returns the exit code, or a negative number if a signal killed the process.
    func end() async -> Int32 {
        await statuses.first { _ in true } ?? Int32.min
    }

    /// Returns the last complete line with `text` once `times` lines contain it; `nil` if the process ended before.
    func line(with text: String, times: Int = 1) async throws -> String? {
        while true {
            let isRunning = kill(identifier, 0) == 0
            let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .filter { $0.contains(text) }
            if lines.count >= times { return lines.last.map(String.init) }
            guard isRunning else { return nil }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func text(_ name: String) -> String {
        let content = try? Data(contentsOf: folder.appending(path: name))
        return String(decoding: content ?? Data(), as: UTF8.self)
    }
}
