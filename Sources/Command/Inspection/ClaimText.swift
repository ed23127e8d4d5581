internal import Foundation
internal import Jansson

/// A claim for a person to read: times with the date beside them.
enum ClaimText {
    /// What RFC 3339 has words for since 1970: up to the end of the year 9999.
    private static let years: ClosedRange<Int64> = 0...253_402_300_799

    static func of(_ value: JSON, named name: String) -> String {
        switch value {
        case .string(let text): text
        case .integer(let seconds)
        where ["exp", "iat", "nbf", "auth_time"].contains(name) && years.contains(seconds):
            "\(seconds) (\(Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)))"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .bool(let isTrue): "\(isTrue)"
        case .null: "null"
        case .array, .object: String(decoding: value.serialized(), as: UTF8.self)
        }
    }
}
