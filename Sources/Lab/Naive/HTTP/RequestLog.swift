internal import AttackLab
internal import Foundation
internal import Synchronization

/// A line for each request: where it went and how it ended.
///
///     POST /v1/exchange 200
final class RequestLog: Sendable {
    private let file: Mutex<FileHandle>
    private let mistakes: Set<Mistake>

    init(_ path: String, mistakes: Set<Mistake>) throws {
        file = Mutex(try FileHandle(appendingTo: path))
        self.mistakes = mistakes
    }

    func finished(_ method: String, _ endpoint: String, _ status: Int) {
        write("\(method) \(endpoint) \(status)")
    }

    /// A request as it came, which no log should hold.
    func received(_ target: String, _ body: [UInt8]) {
        guard mistakes.contains(.tokensLogged) else { return }
        write("request \(target) \(String(decoding: body, as: UTF8.self))")
    }

    private func write(_ line: String) {
        file.withLock { try? $0.write(contentsOf: Data((line + "\n").utf8)) }
    }
}

extension FileHandle {
    /// Made where it is missing, for the owner alone.
    convenience init(appendingTo path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        try self.init(forUpdating: URL(filePath: path))
        try seekToEnd()
    }
}
