import Standards
import Testing

@Suite("Parameters")
struct ParametersTests {
    @Test("Parameters are read in their order, with plus signs as spaces and without empty parts")
    func baseline() throws {
        let parameters = try Parameters.parse("code=a%20b+c&&state=%C3%A9&empty=&bare")
        #expect(parameters.pairs.map(\.name) == ["code", "state", "empty", "bare"])
        #expect(parameters.pairs.map(\.value) == ["a b c", "é", "", ""])
        #expect(parameters["state"] == "é")
        #expect(parameters["missing"] == nil)
    }

    @Test("Only the first equals sign separates name and value")
    func equalsSign() throws {
        #expect(try Parameters.parse("a=b=c")["a"] == "b=c")
    }

    @Test(
        "ST-05, CB-18: A name that occurs twice, in any spelling, is refused",
        arguments: [
            "state=a&state=a", "state=a&state=b", "state=a&st%61te=b", "a+b=1&a%20b=2", "x&x",
            // As one `Character`, ARABIC NUMBER SIGN includes the ampersand after it, and a combining mark the one
            // before it.
            "state=a&x=\u{600}&state=b", "state=a&\u{301}=1&state=b",
        ])
    func repeated(_ text: String) {
        #expect(throws: ParametersError.repeated) { try Parameters.parse(text) }
    }

    @Test("Names that differ in case are different")
    func letterCase() throws {
        #expect(try Parameters.parse("state=a&State=b").pairs.count == 2)
    }

    @Test(
        "ST-10: Broken encoding, invalid UTF-8 and control characters are refused",
        arguments: [
            "a=%zz", "a=%", "%zz=a", "a=%00", "%00=a", "a=%c0%af", "a=%0d%0aSet-Cookie:%20a=b", "a=%7F", "a=%09",
            "a=\u{1}", "a=%1F",
        ])
    func malformed(_ text: String) {
        #expect(throws: ParametersError.malformed) { try Parameters.parse(text) }
    }

    @Test("100 parameters are read, and 101 are refused")
    func count() throws {
        let hundred = (1...100).map { "p\($0)=1" }.joined(separator: "&")
        #expect(try Parameters.parse(hundred).pairs.count == 100)
        #expect(throws: ParametersError.malformed) { try Parameters.parse(hundred + "&p101=1") }
    }

    @Test("Encoded parameters are parsed unchanged, with spaces as %20")
    func roundTrip() throws {
        let parameters = Parameters([("a b", "c&d=e"), ("scope", "openid email"), ("ü", "+")])
        #expect(parameters.encoded == "a%20b=c%26d%3De&scope=openid%20email&%C3%BC=%2B")
        let read = try Parameters.parse(parameters.encoded)
        #expect(read.pairs.map(\.name) == parameters.pairs.map(\.name))
        #expect(read.pairs.map(\.value) == parameters.pairs.map(\.value))
    }
}
