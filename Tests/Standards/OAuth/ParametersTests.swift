import OAuth
import Testing

@Suite("Parameters")
struct ParametersTests {
    @Test("They are read in their order, with plus signs as spaces and empty parts passed over")
    func baseline() throws {
        let parameters = try Parameters.parse("code=a%20b+c&&state=%C3%A9&empty=&bare")
        #expect(parameters.pairs.map(\.name) == ["code", "state", "empty", "bare"])
        #expect(parameters.pairs.map(\.value) == ["a b c", "é", "", ""])
        #expect(parameters["state"] == "é")
        #expect(parameters["missing"] == nil)
    }

    @Test("Only the first equals sign parts name and value")
    func equalsSign() throws {
        #expect(try Parameters.parse("a=b=c")["a"] == "b=c")
    }

    @Test(
        "ST-05, CB-18: A name that stands twice is refused, in whatever spelling",
        arguments: [
            "state=a&state=a", "state=a&state=b", "state=a&st%61te=b", "a+b=1&a%20b=2", "x&x",
            // ARABIC NUMBER SIGN draws the ampersand behind it into one character; a combining mark, the one before it.
            "state=a&x=\u{600}&state=b", "state=a&\u{301}=1&state=b",
        ])
    func repeated(_ text: String) {
        #expect(throws: ParametersError.repeated) { try Parameters.parse(text) }
    }

    @Test("Names are told apart by their case")
    func letterCase() throws {
        #expect(try Parameters.parse("state=a&State=b").pairs.count == 2)
    }

    @Test(
        "ST-10: Broken encoding, what is not UTF-8, and control characters are refused",
        arguments: [
            "a=%zz", "a=%", "%zz=a", "a=%00", "%00=a", "a=%c0%af", "a=%0d%0aSet-Cookie:%20a=b", "a=%7F", "a=%09",
            "a=\u{1}", "a=%1F",
        ])
    func malformed(_ text: String) {
        #expect(throws: ParametersError.malformed) { try Parameters.parse(text) }
    }

    @Test("A hundred parameters are read, and the hundred and first is one too many")
    func count() throws {
        let hundred = (1...100).map { "p\($0)=1" }.joined(separator: "&")
        #expect(try Parameters.parse(hundred).pairs.count == 100)
        #expect(throws: ParametersError.malformed) { try Parameters.parse(hundred + "&p101=1") }
    }

    @Test("What is written is read back the same, with spaces as %20")
    func roundTrip() throws {
        let parameters = Parameters([("a b", "c&d=e"), ("scope", "openid email"), ("ü", "+")])
        #expect(parameters.encoded == "a%20b=c%26d%3De&scope=openid%20email&%C3%BC=%2B")
        let read = try Parameters.parse(parameters.encoded)
        #expect(read.pairs.map(\.name) == parameters.pairs.map(\.name))
        #expect(read.pairs.map(\.value) == parameters.pairs.map(\.value))
    }
}
