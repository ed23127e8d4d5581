import Jansson
import Testing

@Suite("Tolerant JSON")
struct JSONToleranceTests {
    /// A text with every kind of escape, character and number.
    private static let text =
        #"{"a":"x\\\"\n\u0041\ud83d\ude00\ud800\udc00\u0000","b":[1,-2.5e3,1e400,99999999999999999999],"c":{"d":null}}"#

    @Test("No beginning of a text ends the process, also with octets that are no UTF-8")
    func beginnings() throws {
        let bytes = Array(Self.text.utf8)
        for count in bytes.indices {
            for ending in [[], [0xF0], [0xE2, 0x82], [0x5C], [0x5C, 0x75], [0x00], [0x22], [0xFF, 0x5C]] as [[UInt8]] {
                _ = try? JSON.parse(tolerantly: bytes.prefix(count) + ending)
            }
        }
        #expect(try JSON.parse(tolerantly: bytes)["b"] == .array([.integer(1), .real(-2500), .null, .null]))
    }

    @Test("A member that is null is absent, and one that cannot be represented is null")
    func nulls() throws {
        let json = try JSON.parse(tolerantly: Array(#"{"a":null,"b":"\u0000","c":1e999,"d":[null]}"#.utf8))
        #expect(json == .object(["b": .null, "c": .null, "d": .array([.null])]))
    }

    @Test("A byte-order mark is refused, and left out by readers of documents")
    func mark() throws {
        let bytes = [0xEF, 0xBB, 0xBF] + Array("{}".utf8)
        #expect(throws: JSONError.self) { try JSON.parse(tolerantly: bytes) }
        #expect(try JSON.parse(tolerantly: bytes.withoutByteOrderMark) == .object([:]))
    }
}
