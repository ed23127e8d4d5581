internal import Foundation

/// Removes secrets from the text of a report.
///
/// It compares octets, because a secret followed by a combining mark is another text in Swift.
struct Elision: Sendable {
    /// The secrets, the longest first, so that no part of a secret remains that contains another one.
    private let secrets: [Data]

    private static let ellipsis = Data("…".utf8)
    private static let keptCount = 4

    init(secrets: Set<String>) {
        self.secrets = secrets.map { Data($0.utf8) }.filter { $0.count >= 8 }.sorted { $0.count > $1.count }
    }

    /// Removes known secrets first, and then every text with the length and form of a secret.
    func callAsFunction(_ text: String) -> String {
        var octets = Data(text.utf8)
        for secret in secrets {
            let short = secret.prefix(Self.keptCount) + Self.ellipsis
            var start = octets.startIndex
            while let found = octets.range(of: secret, in: start..<octets.endIndex) {
                octets.replaceSubrange(found, with: short)
                start = found.lowerBound + short.count
            }
        }
        return Self.shapeless([UInt8](octets))
    }

    private static func shapeless(_ octets: [UInt8]) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(octets.count)
        var run = 0
        var hasDigit = false
        var hasLetter = false
        func endRun() {
            if run >= 32, hasDigit, hasLetter {
                result.removeLast(run - keptCount)
                result += ellipsis
            }
            (run, hasDigit, hasLetter) = (0, false, false)
        }
        for octet in octets {
            switch octet {
            case 0x30...0x39: hasDigit = true
            case 0x41...0x5A, 0x61...0x7A: hasLetter = true
            case UInt8(ascii: "-"), UInt8(ascii: "_"): break
            default:
                endRun()
                result.append(octet)
                continue
            }
            run += 1
            result.append(octet)
        }
        endRun()
        return String(decoding: result, as: UTF8.self)
    }
}

/// Content that no response may have, for any client.
enum Disclosure {
    /// Returns an internal detail that the text contains; `nil` if there is none.
    static func sign(in text: String) -> String? {
        signs.first { text.contains($0) }
    }

    private static let signs = [
        "Fatal error", ".swift:", "Sources/", "/Users/", "/home/", "SELECT ", "INSERT INTO", "SQLITE_", "SQLite error",
        "PRAGMA", "stack trace", "Stack dump", "NIOCore.", "Swift.", "BEGIN PRIVATE KEY", "BEGIN RSA PRIVATE KEY",
        "client_secret\":\"", "error:0", "std::",
    ]
}
