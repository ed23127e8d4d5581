import Jansson
import Providers
import Support
import Testing
import Transport

@Suite("Responses in JSON")
struct JSONAnswerTests {
    private func answer(_ body: String, type: String?) throws -> JSON {
        let header = type.map { [HeaderField("content-type", $0)] } ?? []
        return try OutboundResponse(status: 200, header: header, body: Array(body.utf8)).jsonObject()
    }

    @Test(
        "The media types of JSON are read",
        arguments: [
            "application/json", "Application/JSON; charset=utf-8", "application/json ;charset=UTF-8",
            "application/problem+json", "application/token-introspection+json",
        ])
    func mediaTypes(_ type: String) throws {
        #expect(try answer(#"{"a":1}"#, type: type) == .object(["a": .integer(1)]))
    }

    @Test(
        "UP-08: A response with another media type is refused",
        arguments: ["text/html", "text/json", "application/jwt", "application/jsonp", "image/x+json", ""])
    func otherTypes(_ type: String) {
        #expect(throws: ProviderFailure.malformedResponse("media type")) { try answer("{}", type: type) }
    }

    @Test("A response without a media type is refused")
    func noType() {
        #expect(throws: ProviderFailure.malformedResponse("media type")) { try answer("{}", type: nil) }
    }

    @Test(
        "UP-09: A response that the strict parser refuses is refused",
        arguments: [
            "", "{", "[]", "null", "\"a\"", #"{"a":1,"a":2}"#, #"{"a":1}x"#, #"{"a":"\u0000"}"#, "{\"a\":\"\u{1}\"}",
            String(repeating: #"{"a":"#, count: 20) + "1" + String(repeating: "}", count: 20),
        ])
    func notStrict(_ body: String) {
        #expect(throws: ProviderFailure.malformedResponse("JSON object")) {
            try answer(body, type: "application/json")
        }
    }

    @Test("A response of up to 256 KiB is accepted")
    func size() throws {
        let filler = String(repeating: "a", count: 256 * 1024 - #"{"a":""}"#.utf8.count)
        #expect(try answer(#"{"a":"\#(filler)"}"#, type: "application/json")["a"] == .string(filler))
        #expect(throws: ProviderFailure.malformedResponse("JSON object")) {
            try answer(#"{"a":"\#(filler)x"}"#, type: "application/json")
        }
    }
}
