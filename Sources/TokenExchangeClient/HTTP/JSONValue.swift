internal import Foundation

/// A value of a JSON request.
enum JSONValue: Encodable, Sendable {
    case string(String)
    case object([String: JSONValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let text): try container.encode(text)
        case .object(let members): try container.encode(members)
        }
    }
}
