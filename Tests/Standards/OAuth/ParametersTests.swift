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
            ("state=a&state=a", "state"), ("state=a&state=b", "state"), ("state=a&st%61te=b", "state"),
            ("a+b=1&a%20b=2", "a b"), ("x&x", "x"),
            // As one `Character`, ARABIC NUMBER SIGN includes the ampersand after it, and a combining mark the one
            // before it.
            ("state=a&x=\u{600}&state=b", "state"), ("state=a&\u{301}=1&state=b", "state"),
        ])
    func repeated(_ text: String, _ name: String) {
        #expect(throws: ParametersError.repeated) { try Parameters.parse(text) }
        #expect(Parameters.repeatedName(in: text, where: { _ in true }) == name)
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

    @Test(
        "The reason of a refusal is told, with the name of the parameter only if it is known",
        arguments: [
            (
                "state=a&scope=email%profile%noff",
                "the parameter scope has a percent sign without two hexadecimal digits after it"
            ),
            ("scope=100%", "the parameter scope has a percent sign without two hexadecimal digits after it"),
            ("x=100%", "a parameter has a percent sign without two hexadecimal digits after it"),
            ("%zz=a", "a parameter has a percent sign without two hexadecimal digits after it"),
            ("sc%6fpe=%E9", "the parameter scope is not UTF-8"), ("x=%c0%af", "a parameter is not UTF-8"),
            ("scope=a%0d%0ab", "the parameter scope has a control character"),
            ("x=%00", "a parameter has a control character"),
            ((1...101).map { "p\($0)=1" }.joined(separator: "&"), "there are more than 100 parameters"),
        ])
    func malformation(_ text: String, _ reason: String) {
        #expect(throws: ParametersError.malformed) { try Parameters.parse(text) }
        #expect(Parameters.malformation(of: text, known: ["scope", "state"]) == reason)
    }

    @Test("Of a response, the reason is about a parameter that is read")
    func malformationOfResponse() {
        #expect(
            Parameters.malformation(of: "x=%&code=%E9", known: Self.read, maximum: 1000, skipsOthers: true)
                == "the parameter code is not UTF-8")
    }

    @Test("100 parameters are read, and 101 are refused")
    func count() throws {
        let hundred = (1...100).map { "p\($0)=1" }.joined(separator: "&")
        #expect(try Parameters.parse(hundred).pairs.count == 100)
        #expect(throws: ParametersError.malformed) { try Parameters.parse(hundred + "&p101=1") }
    }

    private static let read: Set<String> = ["code", "state", "error"]

    @Test(
        "Of a response only what is read has to be well-formed, whatever else it holds",
        arguments: [
            "error_description=AADSTS65004%3a+declined.%0d%0aTrace+ID%3a+0aa%0d%0aTimestamp%3a+2026-11-25",
            "error_description=refus%E9", "error_description=é\u{301}", "error_description=a%09b%00c",
            "note=%zz&note=%",
            "%zz=a&%00=b&%E9", "error_subcode=cancel&error_subcode=cancel", "Code=other&STATE=other", "&&=&",
            (1...900).map { "p\($0)=1" }.joined(separator: "&"),
        ])
    func onlyRead(_ others: String) throws {
        for text in ["error=access_denied&\(others)&state=S", "\(others)&error=access_denied&st%61te=S"] {
            let parameters = try Parameters.parse(text, reading: Self.read)
            #expect(parameters.pairs.map(\.name) == ["error", "state"])
            #expect(parameters.pairs.map(\.value) == ["access_denied", "S"])
        }
    }

    @Test(
        "CB-18: A parameter that is read may not occur twice, in any spelling",
        arguments: ["state=a&x=%0a&state=a", "state=a&st%61te=b", "code&code", "state=a&x=\u{600}&state=b"])
    func readTwice(_ text: String) {
        #expect(throws: ParametersError.repeated) { try Parameters.parse(text, reading: Self.read) }
    }

    @Test(
        "ST-10: A parameter that is read may not be malformed",
        arguments: ["code=%zz", "code=%", "code=a%0d%0ab", "state=%00", "error=%E9", "st%61te=\u{1}", "code=%7F"])
    func readMalformed(_ text: String) {
        #expect(throws: ParametersError.malformed) { try Parameters.parse(text, reading: Self.read) }
    }

    @Test(
        "What is only described keeps its words, without control characters",
        arguments: [
            ("The+app%0d%0aTrace+ID", "The app  Trace ID"), ("refus%E9", "refus\u{FFFD}"), ("100%+of%2", "100% of%2"),
            ("%zz%+1%", "%zz% 1%"), ("a%00%1B%7Fb", "a   b"), ("%C3%A9", "é"), ("", ""),
        ])
    func described(_ text: String, _ words: String) throws {
        let parameters = try Parameters.parse(
            "error=a&description=\(text)&description=b", reading: Self.read, optional: ["user"],
            described: ["description"])
        #expect(parameters.pairs.map(\.name) == ["error", "description"])
        #expect(parameters["description"] == words)
        #expect(try Parameters.parse("user=a%0ab", reading: [], optional: ["user"]).pairs.isEmpty)
    }

    @Test("1000 parameters of a response are skipped, and 1001 are refused")
    func countOfResponse() throws {
        let thousand = (1...1000).map { _ in "x=1" }.joined(separator: "&")
        #expect(try Parameters.parse(thousand, reading: Self.read).pairs.isEmpty)
        #expect(throws: ParametersError.malformed) { try Parameters.parse(thousand + "&x=1", reading: Self.read) }
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
