import Foundation
import Jansson
import Testing

/// A vector file, which is refused if it contains an unknown member, since that may change the meaning of a vector.
struct WycheproofFile {
    struct Vector {
        let id: Int64
        let result: String
        let members: JSON

        func bytes(_ name: String) throws -> [UInt8] {
            try #require(members[name]?.hexadecimal)
        }
    }

    static var folder: String? { ProcessInfo.processInfo.environment["WYCHEPROOF_VECTORS"] }

    let vectors: [(group: JSON, vector: Vector)]

    init(_ name: String, type: String) throws {
        let path = try #require(Self.folder) + "/\(name).json"
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let document = try JSON.parse(bytes, maximumBytes: 16 * 1024 * 1024, maximumDepth: 16)
        try Self.requireKnown(document, Self.documentMembers)
        var vectors: [(group: JSON, vector: Vector)] = []
        for group in try #require(document["testGroups"]?.array) {
            try Self.requireKnown(group, Self.groupMembers)
            try #require(group["type"] == .string(type))
            for test in try #require(group["tests"]?.array) {
                vectors.append((group, try Self.vector(test)))
            }
        }
        try #require(document["numberOfTests"] == .integer(Int64(vectors.count)))
        try #require(Set(vectors.map(\.vector.id)).count == vectors.count)
        self.vectors = vectors
    }

    private static let documentMembers: Set<String> = [
        "algorithm", "numberOfTests", "header", "notes", "schema", "testGroups",
    ]

    private static let groupMembers: Set<String> = [
        "type", "source", "comment", "private", "public", "tests", "keySize", "publicKey", "publicKeyAsn",
        "publicKeyDer",
        "publicKeyPem", "publicKeyJwk", "keyJwk", "sha",
    ]

    private static func vector(_ test: JSON) throws -> Vector {
        try requireKnown(test, ["tcId", "comment", "flags", "result", "jws", "msg", "sig"])
        let result = try #require(test["result"]?.string)
        try #require(["valid", "invalid", "acceptable"].contains(result))
        return Vector(id: try #require(test["tcId"]?.integer), result: result, members: test)
    }

    private static func requireKnown(_ json: JSON, _ names: Set<String>) throws {
        let unknown = Set(try #require(json.object).keys).subtracting(names)
        try #require(unknown.isEmpty, "unknown members \(unknown)")
    }
}

extension JSON {
    /// The bytes of a text of hexadecimal digits.
    var hexadecimal: [UInt8]? {
        guard let text = string, text.utf8.count.isMultiple(of: 2) else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }
}
