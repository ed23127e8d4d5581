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

    @Test(
        "A member that stands in one object twice is null, whichever comes first and however its name is written",
        arguments: [
            (#"{"a":1,"a":2}"#, ["a": .null]), (#"{"a":1,"b":2,"a":1,"a":3}"#, ["a": .null, "b": .integer(2)]),
            (#"{"a":null,"a":1}"#, ["a": .null]), (#"{"a":1,"a":null}"#, ["a": .null]),
            (#"{"a":1,"\u0061":2}"#, ["a": .null]), (#"{"\u0061":1,"a":2}"#, ["a": .null]),
            (#"{"a":{"x":1},"b":{"x":1,"x":2}}"#, ["a": .object(["x": .integer(1)]), "b": .object(["x": .null])]),
            (
                #"{"a":[{"x":1},{"x":2}],"x":3}"#,
                ["a": .array([.object(["x": .integer(1)]), .object(["x": .integer(2)])]), "x": .integer(3)]
            ),
            (#"{"a":["a","a"],"b":"a","a":1}"#, ["a": .null, "b": .string("a")]),
            (#"{"a":1,"a":2,"a\u00011":3}"#, ["a": .null]), (#"{"":1,"":2}"#, ["": .null]),
            (#"{"a\"b":1,"a\u0022b":2,"n":1e999}"#, ["a\"b": .null, "n": .null]),
        ] as [(String, [String: JSON])])
    func duplicates(_ text: String, _ members: [String: JSON]) throws {
        #expect(try JSON.parse(tolerantly: Array(text.utf8)) == .object(members))
    }

    @Test("A text with ten thousand members of one name is read")
    func manyDuplicates() throws {
        let text = "{" + Array(repeating: #""a":1"#, count: 10_000).joined(separator: ",") + "}"
        #expect(try JSON.parse(tolerantly: Array(text.utf8)) == .object(["a": .null]))
    }

    @Test("Names that are equivalent in Unicode, but have other octets, are refused as before")
    func equivalentNames() {
        #expect(throws: JSONError.equivalentMembers) {
            try JSON.parse(tolerantly: Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
        }
    }

    @Test("A byte-order mark is refused, and left out by readers of documents")
    func mark() throws {
        let bytes = [0xEF, 0xBB, 0xBF] + Array("{}".utf8)
        #expect(throws: JSONError.self) { try JSON.parse(tolerantly: bytes) }
        #expect(try JSON.parse(tolerantly: bytes.withoutByteOrderMark) == .object([:]))
    }
}
