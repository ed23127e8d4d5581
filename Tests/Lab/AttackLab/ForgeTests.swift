import Testing

@testable import AttackLab

@Suite("Forged tokens")
struct ForgeTests {
    private var draft: TokenDraft {
        TokenDraft(keyID: "k", issuer: "https://op.example", audience: "us", subject: "s", nonce: "n", now: 1000)
    }

    @Test("A draft is a valid token until it is changed")
    func draftIsRight() {
        #expect(String(decoding: draft.header.bytes, as: UTF8.self) == #"{"alg":"ES256","kid":"k"}"#)
        #expect(
            String(decoding: draft.claims.bytes, as: UTF8.self)
                == #"{"iss":"https://op.example","sub":"s","aud":"us","iat":1000,"exp":4600,"auth_time":1000,"nonce":"n"}"#
        )
    }

    @Test("Members are replaced in place, removed and repeated, and may contain invalid JSON")
    func members() {
        var members = ForgedMembers([("a", 1), ("b", "x")])
        members["a"] = .raw("1e999")
        members.append("b", "y")
        #expect(String(decoding: members.bytes, as: UTF8.self) == #"{"a":1e999,"b":"x","b":"y"}"#)
        members["b"] = nil
        #expect(String(decoding: members.bytes, as: UTF8.self) == #"{"a":1e999}"#)
        members.raw = [0xFF]
        #expect(members.bytes == [0xFF])
    }

    @Test("Texts are quoted as JSON strings")
    func quoting() {
        #expect(Forged.text("a\"\\\u{1}é").json == "\"a\\\"\\\\\\u0001é\"")
    }

    @Test(
        "base64url without padding is decoded unchanged",
        arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar", "\u{FF}?>"])
    func base64(text: String) {
        let encoded = Base64.urlEncode(text)
        #expect(!encoded.contains("="))
        #expect(Base64.urlDecode(encoded) == Array(text.utf8))
    }

    @Test("base64url gives the vectors of RFC 4648 §10, without padding")
    func vectors() {
        #expect(Base64.urlEncode("foobar") == "Zm9vYmFy")
        #expect(Base64.urlEncode("fo") == "Zm8")
        #expect(Base64.urlDecode("Zm9v!") == nil)
    }

    @Test("Form encoding leaves only unreserved characters unencoded")
    func form() {
        #expect(PercentEncoding.form([("a b", "c&d=é")]) == "a%20b=c%26d%3D%C3%A9")
        #expect(PercentEncoding.decode("a+b%26%zz") == "a b&%zz")
    }
}
