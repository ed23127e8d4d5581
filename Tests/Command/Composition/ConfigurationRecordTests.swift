import Settings
import Testing

@testable import token_exchange

@Suite("When a configuration is read again")
struct ConfigurationRecordTests {
    private static let files: [String: [UInt8]?] = ["/a": [1], "/gone": nil]

    private static func record(secret: [UInt8]?...) throws -> ConfigurationRecord {
        var record = ConfigurationRecord()
        record.files = files
        for (number, bytes) in secret.enumerated() {
            let name = try #require(CloudSecretName("secret-\(number)"))
            record.add([name: bytes.map { .payload(SettingsFile(bytes: $0), version: "1") } ?? .failed("is missing")])
        }
        return record
    }

    @Test("A changed file, and one that appears, are a reason; an unchanged one is none")
    func changedFiles() throws {
        var record = try Self.record()
        #expect(!record.isDue(after: .seconds(30), hasFailed: false) { Self.files[$0] ?? nil })
        #expect(record.isDue(after: .seconds(30), hasFailed: false) { $0 == "/a" ? [2] : nil })
        #expect(record.isDue(after: .seconds(30), hasFailed: false) { _ in [1] })
        var withSecret = try Self.record(secret: [1])
        #expect(withSecret.isDue(after: .seconds(30), hasFailed: false) { _ in [1] })
    }

    @Test("A failed attempt is repeated at each interval, and with secrets of Secret Manager after five minutes")
    func failedAttempt() throws {
        var record = try Self.record()
        #expect(record.isDue(after: .seconds(1), hasFailed: true) { Self.files[$0] ?? nil })
        var withSecret = try Self.record(secret: nil)
        for _ in 0..<9 { #expect(!withSecret.isDue(after: .seconds(30), hasFailed: true) { Self.files[$0] ?? nil }) }
        #expect(withSecret.isDue(after: .seconds(30), hasFailed: true) { Self.files[$0] ?? nil })
    }

    @Test("Secrets of Secret Manager are read again after five minutes, or after a longer interval")
    func secrets() throws {
        var record = try Self.record(secret: [1])
        for _ in 0..<9 { #expect(!record.isDue(after: .seconds(30), hasFailed: false) { Self.files[$0] ?? nil }) }
        #expect(record.isDue(after: .seconds(30), hasFailed: false) { Self.files[$0] ?? nil })
        var hourly = try Self.record(secret: [1])
        #expect(hourly.isDue(after: .seconds(3600), hasFailed: false) { Self.files[$0] ?? nil })
    }

    @Test("A new version is a difference, and so is a secret that cannot be read any more")
    func differences() throws {
        #expect(try Self.record(secret: [1]).isSame(as: Self.record(secret: [1])))
        #expect(try !Self.record(secret: [1]).isSame(as: Self.record(secret: [2])))
        #expect(try !Self.record(secret: [1]).isSame(as: Self.record(secret: nil)))
        #expect(try !Self.record(secret: [1]).isSame(as: Self.record()))
    }
}
