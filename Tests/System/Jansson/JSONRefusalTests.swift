import Jansson
import Standards
import Testing

extension JSONError {
    /// The name of the case, without its position or limit.
    var cause: String {
        switch self {
        case .tooLarge: "too_large"
        case .tooDeep: "too_deep"
        case .tooManyValues: "too_many_values"
        case .stringTooLong: "string_too_long"
        case .scalarTooLong: "scalar_too_long"
        case .duplicateMember: "duplicate_member"
        case .equivalentMembers: "equivalent_members"
        case .numberOutOfRange: "number_out_of_range"
        case .nulCharacter: "nul_character"
        case .invalidUTF8: "invalid_utf8"
        case .malformed: "malformed"
        case .incomplete: "incomplete"
        }
    }
}

@Suite("JSON refusals")
struct JSONRefusalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let cause: String

        init(_ name: String, _ text: String, _ cause: String = "malformed") {
            self.init(name, Array(text.utf8), cause)
        }

        init(_ name: String, _ bytes: [UInt8], _ cause: String = "malformed") {
            testDescription = name
            self.bytes = bytes
            self.cause = cause
        }
    }

    static let refusals: [Refusal] = [
        Refusal("nothing", "", "incomplete"),
        Refusal("white space alone", " \n", "incomplete"),
        Refusal("trailing data", #"{"a":1}x"#),
        Refusal("a second text", "{}{}"),
        Refusal("a trailing NUL", [UInt8]("{}".utf8) + [0]),
        Refusal("a NUL between tokens", Array("[".utf8) + [0] + Array("]".utf8)),
        Refusal("a NUL behind a number", Array("[1".utf8) + [0] + Array("]".utf8)),
        Refusal("a NUL behind a literal", Array("[true".utf8) + [0] + Array("]".utf8)),
        Refusal("a comment", "{/*c*/}"),
        Refusal("a line comment", "{} // c"),
        Refusal("NaN", "[NaN]"),
        Refusal("Infinity", "[-Infinity]"),
        Refusal("a byte-order mark", [0xEF, 0xBB, 0xBF] + Array("{}".utf8)),
        Refusal("UTF-16 with its mark", [0xFE, 0xFF, 0, 0x7B, 0, 0x7D]),
        Refusal("UTF-16 without a mark", [0x7B, 0, 0x7D, 0]),
        Refusal("a string at the top", #""a""#),
        Refusal("null at the top", "null"),
        Refusal("a number at the top", "1"),
        Refusal("a trailing comma", "[1,]"),
        Refusal("a trailing comma in an object", #"{"a":1,}"#),
        Refusal("single quotation marks", "{'a':1}"),
        Refusal("a name without quotation marks", "{a:1}"),
        Refusal("a leading zero", "[01]"),
        Refusal("a plus sign", "[+1]"),
        Refusal("hexadecimal", "[0x10]"),
        Refusal("a bare fraction", "[.5]"),
        Refusal("a control character in a string", "[\"a\nb\"]"),
        Refusal("a raw NUL in a string", Array("[\"".utf8) + [0] + Array("\"]".utf8)),
        Refusal("an unknown escape", #"["\x41"]"#),
        Refusal("a cut-off text", #"{"a":"#, "incomplete"),
        Refusal("a cut-off string", #"["a"#, "incomplete"),
        Refusal("a wrong bracket", "[1}"),
        Refusal("a high surrogate alone", #"["\ud83d"]"#),
        Refusal("a low surrogate alone", #"["\ude00"]"#),
        Refusal("surrogates in the wrong order", #"["\ude00\ud83d"]"#),
        Refusal("an escaped NUL in a string", #"["a\u0000b"]"#, "nul_character"),
        Refusal("an escaped NUL in a name", #"{"a\u0000b":1}"#, "nul_character"),
        Refusal("an overlong form", Array("[\"".utf8) + [0xC0, 0xAF] + Array("\"]".utf8), "invalid_utf8"),
        Refusal(
            "an encoded surrogate", Array("[\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"]".utf8), "invalid_utf8"),
        Refusal("Latin-1", Array("[\"".utf8) + [0xE9] + Array("\"]".utf8), "invalid_utf8"),
        Refusal("a real beyond a double", "[1e999]", "number_out_of_range"),
        Refusal("a negative real beyond a double", "[-1e999]", "number_out_of_range"),
        Refusal("2^63", "[9223372036854775808]", "number_out_of_range"),
        Refusal("-2^63 - 1", "[-9223372036854775809]", "number_out_of_range"),
        Refusal("60,000 digits", "[" + String(repeating: "9", count: 60_000) + "]", "scalar_too_long"),
        Refusal("a million digits", "[" + String(repeating: "9", count: 1_000_000) + "]", "too_large"),
        Refusal("depth 10,000", JSONLimitTests.nested(10_000), "too_deep"),
        Refusal("depth 10,000, never closed", String(repeating: "[", count: 10_000), "too_deep"),
    ]

    @Test("HT-11: A text that is not one well-formed object or array is refused with its cause", arguments: refusals)
    func refused(_ refusal: Refusal) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(refusal.bytes) }
        #expect(error?.cause == refusal.cause)
    }
}
