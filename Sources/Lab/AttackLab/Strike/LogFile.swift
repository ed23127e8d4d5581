internal import Foundation

/// A log that grows.
struct LogFile: Sendable {
    let path: String

    /// How long it is now.
    var end: Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// What was written since it had that length.
    func text(since start: Int) -> String {
        guard let file = FileHandle(forReadingAtPath: path) else { return "" }
        defer { try? file.close() }
        try? file.seek(toOffset: UInt64(start))
        return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
    }
}
