import Jansson
import Providers
import Support
import Testing
import Transport

@Suite("Responses in JSON")
struct JSONAnswerTests {
    private func answer(_ body: String, type: String?) throws -> JSON {
        let header = type.map { [HeaderField("content-type", $0)] } ?? []
        return try OutboundResponse(status: 200, header: header, body: Array(body.utf8)).jsonObject(of: .user)
    }

    @Test(
        "Real-world 51: the media type is not read",
        arguments: [
            "application/json", "Application/JSON; charset=utf-8", "text/html", "text/plain", "application/jwt", "",
            nil,
        ])
    func mediaTypes(_ type: String?) throws {
        #expect(try answer(#"{"a":1}"#, type: type) == .object(["a": .integer(1)]))
    }

    @Test("Members that are null are left out, those that cannot be represented become null, and the others stay")
    func unusableMembers() throws {
        let body = #"{"a":1,"b":null,"c":"\u0000","d":1e400,"e":[null,"\ud800",{"f":null}],"g":99999999999999999999}"#
        #expect(
            try answer(body, type: nil)
                == .object([
                    "a": .integer(1), "c": .null, "d": .null, "e": .array([.null, .null, .object([:])]), "g": .null,
                ]))
    }

    @Test(
        "UP-09: A response that is not one JSON object is refused",
        arguments: [
            ("{", damaged), ("[]", "a list"), ("null", "null"), (" null\n", "null"), ("\"a\"", "of another form"),
            (#"callback( {"client_id":"101","openid":"D25E"} );"# + "\n", call), (#"cb.x$([1])"#, call),
            (#"callback( {"a":1} ); x"#, "of another form"), (#"a b({"a":1})"#, "of another form"),
            ("f(1)", "of another form"),
            (#"{"a":1}x"#, damaged), (#"x{"a":1}"#, "JSON after other text"), (#"{"a":01}"#, damaged),
            ("Unexpected error", "of another form"), (#"{"a":}"#, damaged), ("<html>", "a page"),
            ("<?xml version='1.0'?><user/>", "XML"),
            (#"<script>a({"b":1})</script>"#, "XML"), (#"x{"a":1"#, "of another form"),
            (String(repeating: #"{"a":"#, count: 20) + "1" + String(repeating: "}", count: 20), damaged),
        ])
    func notStrict(_ body: String, _ form: String) {
        #expect(throws: ProviderFailure.notJSON(.user, form)) {
            try answer(body, type: nil)
        }
    }

    @Test(
        "A body of no known form is told with its media type, if that is one",
        arguments: [
            ("text/plain", "of another form (text/plain)"),
            ("Text/Plain ; charset=utf-8", "of another form (text/plain)"),
            ("s3cret", "of another form"), ("text/plain, secret", "of another form"), (nil, "of another form"),
        ])
    func mediaTypeOfOtherForm(_ type: String?, _ form: String) {
        #expect(throws: ProviderFailure.notJSON(.user, form)) { try answer("Unexpected error", type: type) }
    }

    @Test("null in place of an answer has the advice on an empty one")
    func null() {
        #expect(ProviderFailure.notJSON(.user, "null").advice?.contains("sends no content: look in its log") == true)
    }

    @Test("A page in place of an answer has the advice on what may be in front of the provider, also with its title")
    func page() {
        for form in ["a page", "a page (title: Just a moment...)"] {
            let advice = ProviderFailure.notJSON(.user, form).advice
            #expect(advice == ProviderFailure.pageInPlaceOfProfile(.user, status: 403).advice)
        }
    }

    private static let call = "JSON in the call of a function (JSONP)"
    private static let damaged = "JSON with an error, or with too many levels"

    @Test("The operator reads which endpoint sends no JSON, and which setting names its address")
    func advice() {
        let failure = ProviderFailure.notJSON(.user, "XML")
        #expect(failure.advice?.hasPrefix("Compare endpoints.userinfo (endpoints.api at twitter.com) with the") == true)
        #expect(
            ProviderFailure.notJSON(.user, "a JWT").advice?.contains("write issuer in place of protocol: oauth2")
                == true)
        #expect(
            ProviderFailure.notJSON(.user, Self.call).advice?.contains(
                "plain JSON, which its documentation names, to endpoints.userinfo")
                == true)
        let encrypted = ProviderFailure.malformedResponse(ProviderFailure.verifiableUserInfo, found: "jose.encrypted")
        #expect(encrypted.advice?.contains("userinfo_encrypted_response_alg") == true)
        let unsigned = ProviderFailure.malformedResponse(
            ProviderFailure.verifiableUserInfo, found: "jose.algorithm_not_allowed")
        #expect(unsigned.advice?.contains("without a signature (userinfo_signed_response_alg)") == true)
        #expect(ProviderFailure.notJSON(.emails, "a page").advice?.hasPrefix("Compare emails.url") == true)
    }

    @Test("A response of up to 256 KiB is accepted")
    func size() throws {
        let filler = String(repeating: "a", count: 256 * 1024 - #"{"a":""}"#.utf8.count)
        #expect(try answer(#"{"a":"\#(filler)"}"#, type: "application/json")["a"] == .string(filler))
        #expect(throws: ProviderFailure.notJSON(.user, "longer than 256 KiB")) {
            try answer(#"{"a":"\#(filler)x"}"#, type: "application/json")
        }
    }
}
