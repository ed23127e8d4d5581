import Jansson
import Testing

@Suite("JSON values")
struct JSONValueTests {
    @Test("Integers and reals are different values")
    func numbers() throws {
        let numbers = try JSON.parse(Array("[1,1.0,1e3,-0,9223372036854775807,-9223372036854775808,1e-999]".utf8))
        #expect(
            numbers
                == .array([
                    .integer(1), .real(1), .real(1000), .integer(0), .integer(.max), .integer(.min), .real(0),
                ]))
    }

    @Test("Strings are read with their length and all of Unicode")
    func strings() throws {
        let text = #"["","\u0001","é😀","\ud83d\ude00","\"\\\/\b\f\n\r\t"]"#
        #expect(
            try JSON.parse(Array(text.utf8)).array?.compactMap(\.string)
                == ["", "\u{1}", "é😀", "😀", "\"\\/\u{8}\u{C}\n\r\t"])
    }

    @Test("A string keeps the Unicode normal form in which it was written")
    func normalForm() throws {
        let strings = try #require(try JSON.parse(Array(#"["\u00e9","e\u0301"]"#.utf8)).array?.compactMap(\.string))
        #expect(strings.map { Array($0.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
    }

    @Test("An accessor returns a value only for its own kind")
    func accessors() {
        let values: [JSON] = [.null, .bool(true), .integer(1), .real(1), .string("1"), .array([]), .object([:])]
        #expect(values.map { $0.bool != nil } == [false, true, false, false, false, false, false])
        #expect(values.map { $0.integer != nil } == [false, false, true, false, false, false, false])
        #expect(values.map { $0.string != nil } == [false, false, false, false, true, false, false])
        #expect(values.map { $0.array != nil } == [false, false, false, false, false, true, false])
        #expect(values.map { $0.object != nil } == [false, false, false, false, false, false, true])
        #expect(values.allSatisfy { $0["a"] == nil })
    }

    @Test("A member is found only by the exact bytes of its name")
    func subscripts() {
        let object = JSON.object(["a": .null, "\u{212A}": .integer(1), "e\u{301}": .integer(2)])
        #expect(object["a"] == .null)
        #expect(object["A"] == nil)
        #expect(object["K"] == nil)
        #expect(object["\u{212A}"] == .integer(1))
        #expect(object["\u{E9}"] == nil)
        #expect(object["e\u{301}"] == .integer(2))
    }
}

@Suite("JSON serialization")
struct JSONSerializationTests {
    private func text(_ value: JSON) -> String { String(decoding: value.serialized(), as: UTF8.self) }

    @Test("The text is compact, and members are in the byte order of their names")
    func compactAndSorted() {
        let value = JSON.object([
            "b": .array([.integer(1), .null, .bool(true), .bool(false)]),
            "a": .object(["z": .real(0.5), "Z": .string("")]),
            "é": .integer(1), "": .array([]), "aa": .object([:]),
        ])
        #expect(text(value) == #"{"":[],"a":{"Z":"","z":0.5},"aa":{},"b":[1,null,true,false],"é":1}"#)
        // KELVIN SIGN is canonically equivalent to K.
        for _ in 0..<20 {
            #expect(text(.object(["\u{212A}": .null, "K({": .null])) == "{\"K({\":null,\"\u{212A}\":null}")
        }
    }

    @Test("Only characters that must be escaped are escaped")
    func escapes() {
        #expect(text(.array([.string("a/b<é😀\u{2028}")])) == "[\"a/b<é😀\u{2028}\"]")
        #expect(text(.array([.string("\"\\\n\u{1}\u{0}x")])) == #"["\"\\\n\u0001\u0000x"]"#)
        #expect(text(.string("\u{8}\t\n\u{C}\r\u{1F} \u{7F}")) == "\"" + #"\b\t\n\f\r\u001f"# + " \u{7F}\"")
        #expect(text(.object(["a\u{0}b": .null, "a": .null])) == #"{"a":null,"a\u0000b":null}"#)
    }

    @Test("A scalar can be serialized, although it cannot be parsed")
    func scalars() {
        #expect(
            [JSON.null, .bool(false), .integer(.min), .string("a"), .real(2)].map(text)
                == ["null", "false", "-9223372036854775808", "\"a\"", "2.0"])
    }

    @Test("A serialized value is parsed as the same value", arguments: [1, 100, 2000])
    func roundTrip(count: Int) throws {
        let element = JSON.object([
            "real": .real(0.1), "tiny": .real(.leastNonzeroMagnitude), "huge": .real(.greatestFiniteMagnitude),
            "whole": .real(1e15), "text": .string("\"é😀\u{7F}/\\"),
            "list": .array([.null, .bool(true), .integer(.max)]),
        ])
        let value = JSON.array(Array(repeating: element, count: count))
        #expect(try JSON.parse(value.serialized(), maximumBytes: 1024 * 1024) == value)
    }

    @Test("Characters from all ranges are serialized and parsed unchanged")
    func characters() throws {
        let scalars = [0x1...0x2FF, 0x2000...0x20FF, 0xD7F0...0xE010, 0xFEF0...0x1001F, 0x10FFF0...0x10FFFF]
            .joined().compactMap(Unicode.Scalar.init)
        for scalar in scalars {
            let value = JSON.array([.string("a\(scalar)b"), .object([String(scalar): .null])])
            #expect(try JSON.parse(value.serialized()) == value)
        }
    }

    @Test(
        "A real keeps its value and stays a real",
        arguments: [
            0, -0.0, 1, -1, 0.1, 1 / 3, 1e15, 1e16, 123_456_789_012_345_680, 1e21, 1e22, 1e-4, 1e-5, 1e-7,
            .leastNonzeroMagnitude, .leastNormalMagnitude, -.greatestFiniteMagnitude,
        ] as [Double])
    func reals(value: Double) throws {
        let read = try JSON.parse(JSON.array([.real(value)]).serialized())
        #expect(read == .array([.real(value)]))
        guard case .real(let number)? = read.array?.first else { return }
        #expect(number.sign == value.sign)
    }

    @Test("Serializing a number that is not finite traps")
    func notFinite() async {
        await #expect(processExitsWith: .failure) { _ = JSON.array([.real(.nan)]).serialized() }
        await #expect(processExitsWith: .failure) { _ = JSON.array([.real(-.infinity)]).serialized() }
    }

    @Test("Concurrent tasks can parse and serialize")
    func concurrency() async {
        let text = Array(#"{"b":[1,2.5,"é",{"a":null,"c":true}],"a":{"n":-1}}"#.utf8)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<100 {
                        guard let value = try? JSON.parse(text),
                            value.serialized() == Array(#"{"a":{"n":-1},"b":[1,2.5,"é",{"a":null,"c":true}]}"#.utf8)
                        else { return false }
                    }
                    return true
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test(
        "The limit is never below the number of bytes that are written",
        arguments: [
            JSON.null, .bool(false), .integer(.min), .real(-1.2345678901234567e-300), .string("\u{1}\u{1F}\"\\é"),
            .array([.integer(1), .string("")]), .object(["\u{2}": .array([]), "b": .object([:])]),
        ])
    func countLimit(value: JSON) {
        #expect(value.serializedCountLimit >= value.serialized().count)
    }
}
