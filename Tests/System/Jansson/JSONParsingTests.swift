import Jansson
import Testing

@Suite("JSON parsing")
struct JSONParsingTests {
    @Test("Every kind of value is read, and members and elements keep their places")
    func everyKind() throws {
        let text =
            #"{"null":null,"yes":true,"no":false,"whole":-7,"real":1.5,"text":"a\/b","list":[1,"2",[]],"none":{}}"#
        #expect(
            try JSON.parse(Array(text.utf8))
                == .object([
                    "null": .null, "yes": .bool(true), "no": .bool(false), "whole": .integer(-7), "real": .real(1.5),
                    "text": .string("a/b"), "list": .array([.integer(1), .string("2"), .array([])]),
                    "none": .object([:]),
                ]))
    }

    @Test(
        "A member name that an object contains twice is refused, at any depth and in any spelling",
        arguments: [
            #"{"sub":1,"sub":1}"#, #"{"sub":1,"s\u0075b":2}"#, #"[{"a":{"sub":1,"sub":2}}]"#, #"{"":1,"":2}"#,
        ])
    func duplicateMembers(text: String) throws {
        let error = #expect(throws: JSONError.self) { try JSON.parse(Array(text.utf8)) }
        guard case .duplicateMember(line: 1, column: let column) = error else {
            Issue.record("Not a duplicate member: \(error?.cause ?? "accepted")")
            return
        }
        #expect(column > 0)
    }

    @Test("Two objects may contain the same member name")
    func sameNameElsewhere() throws {
        #expect(try JSON.parse(Array(#"[{"a":1},{"a":{"a":2}}]"#.utf8)).array?.count == 2)
    }

    @Test("Member names that only Unicode normalisation makes equal are refused, not merged")
    func equivalentMembers() {
        #expect(throws: JSONError.equivalentMembers) { try JSON.parse(Array(#"{"\u00e9":1,"e\u0301":2}"#.utf8)) }
        #expect(throws: JSONError.equivalentMembers) { try JSON.parse(Array(#"{"K":1,"\u212a":2}"#.utf8)) }
    }

    @Test("An error contains the line and column where parsing stopped")
    func position() {
        #expect(throws: JSONError.incomplete(line: 1, column: 0)) { try JSON.parse([]) }
        #expect(throws: JSONError.malformed(line: 2, column: 6)) { try JSON.parse(Array("{\n\"a\": x}".utf8)) }
        #expect(throws: JSONError.duplicateMember(line: 3, column: 4)) {
            try JSON.parse(Array("{\n\"a\": 1,\n \"a\": 2}".utf8))
        }
    }

    @Test("An error contains nothing of the text")
    func errorWithoutText() {
        let error = #expect(throws: JSONError.self) { try JSON.parse(Array(#"{"token": s3cret}"#.utf8)) }
        #expect(error.map { !String(reflecting: $0).contains("s3cret") } == true)
    }
}

@Suite("JSON limits")
struct JSONLimitTests {
    static func nested(_ depth: Int, with open: String = "[", _ close: String = "]") -> [UInt8] {
        Array((String(repeating: open, count: depth) + String(repeating: close, count: depth)).utf8)
    }

    @Test("A text may be as long as the limit and not a byte longer")
    func length() throws {
        #expect(try JSON.parse(Array("[10]".utf8), maximumBytes: 4) == .array([.integer(10)]))
        #expect(throws: JSONError.tooLarge(maximumBytes: 4)) { try JSON.parse(Array("[100]".utf8), maximumBytes: 4) }
        let spaces = [UInt8](repeating: UInt8(ascii: " "), count: 64 * 1024 - 2)
        #expect(try JSON.parse(Array("[]".utf8) + spaces) == .array([]))
        #expect(throws: JSONError.tooLarge(maximumBytes: 64 * 1024)) {
            try JSON.parse(Array("[] ".utf8) + spaces)
        }
    }

    @Test("Brackets may be nested as deeply as the limit and not one level deeper")
    func depth() throws {
        #expect(try JSON.parse(Self.nested(16)).array?.count == 1)
        #expect(throws: JSONError.tooDeep(maximumDepth: 16)) { try JSON.parse(Self.nested(17)) }
        #expect(throws: JSONError.tooDeep(maximumDepth: 16)) { try JSON.parse(Self.nested(17, with: #"{"a":"#, "}")) }
        #expect(throws: JSONError.tooDeep(maximumDepth: 2)) {
            try JSON.parse(Array(#"[{"a":[]}]"#.utf8), maximumDepth: 2)
        }
        #expect(try JSON.parse(Self.nested(512), maximumDepth: 512).array?.count == 1)
    }

    @Test("A text may contain as many values and names as the limit and not one more")
    func values() throws {
        let text = Array(#"{"a":[1,":,"]}"#.utf8)
        #expect(try JSON.parse(text, maximumValues: 5) == .object(["a": .array([.integer(1), .string(":,")])]))
        #expect(throws: JSONError.tooManyValues(maximum: 4)) { try JSON.parse(text, maximumValues: 4) }
    }

    @Test("A string or a name may be as long as the limit and not a byte longer", arguments: ["a", #"\""#, "é"])
    func strings(octet: String) throws {
        let text = String(repeating: octet, count: 100)
        let limit = text.utf8.count
        for json in [#"["\#(text)"]"#, #"{"\#(text)":1}"#] {
            _ = try JSON.parse(Array(json.utf8), maximumStringBytes: limit)
            #expect(throws: JSONError.stringTooLong(maximumBytes: limit - 1)) {
                try JSON.parse(Array(json.utf8), maximumStringBytes: limit - 1)
            }
        }
    }

    @Test("A number may have 1,024 characters and not one more")
    func numbers() throws {
        let number = "0." + String(repeating: "1", count: 1022)
        #expect(try JSON.parse(Array("[\(number), 1]".utf8)).array?.count == 2)
        #expect(throws: JSONError.scalarTooLong(maximumBytes: 1024)) { try JSON.parse(Array("[\(number)1]".utf8)) }
        let spaces = String(repeating: " ", count: 2000)
        #expect(try JSON.parse(Array("[\(spaces)1\(spaces)]".utf8)) == .array([.integer(1)]))
    }

    @Test("Many brackets side by side do not count as depth")
    func breadth() throws {
        let text = "[" + Array(repeating: "[{}]", count: 1000).joined(separator: ",") + "]"
        #expect(try JSON.parse(Array(text.utf8), maximumDepth: 3).array?.count == 1000)
    }

    @Test(
        "Brackets in strings do not count, and an escaped quotation mark does not end a string",
        arguments: [#"["[[[["]"#, #"["\"[[[["]"#, #"["\\","{{{{"]"#, #"["\\\"[[[["]"#, #"{"{{{{":1}"#])
    func bracketsInStrings(text: String) throws {
        _ = try JSON.parse(Array(text.utf8), maximumDepth: 1)
    }

    @Test("Brackets after a string that ends in a reverse solidus count")
    func bracketsAfterStrings() {
        #expect(throws: JSONError.tooDeep(maximumDepth: 2)) {
            try JSON.parse(Array(#"["\\",[[]]]"#.utf8), maximumDepth: 2)
        }
    }
}
