import Standards
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test("Unreserved characters are not encoded")
    func unreserved() {
        let text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        #expect(PercentEncoding.encode(text) == text)
    }

    @Test(
        "Every other octet of the UTF-8 form is encoded in upper case (RFC 5849 §3.6)",
        arguments: [
            ("Ladies + Gentlemen", "Ladies%20%2B%20Gentlemen"), ("An encoded string!", "An%20encoded%20string%21"),
            ("Dogs, Cats & Mice", "Dogs%2C%20Cats%20%26%20Mice"), ("☃", "%E2%98%83"), ("\r\n\0", "%0D%0A%00"),
            ("%", "%25"), ("*", "%2A"), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"), ("/:=?@", "%2F%3A%3D%3F%40"),
        ])
    func encoded(_ text: String, _ expected: String) {
        #expect(PercentEncoding.encode(text) == expected)
    }

    @Test("An encoded text is decoded unchanged, with hexadecimal digits of either case")
    func decoded() {
        let text = "é☃ +&=%\0\u{7F}"
        #expect(PercentEncoding.decode(PercentEncoding.encode(text), plusIsSpace: true) == text)
        #expect(PercentEncoding.decode("%e2%98%83", plusIsSpace: false) == "☃")
    }

    @Test("A plus sign is a space in a form, and itself elsewhere")
    func plus() {
        #expect(PercentEncoding.decode("a+b%2B", plusIsSpace: true) == "a b+")
        #expect(PercentEncoding.decode("a+b%2B", plusIsSpace: false) == "a+b+")
    }

    @Test(
        "Broken encoding and invalid UTF-8 are refused",
        arguments: ["%", "%2", "%zz", "%2g", "%+1", "%c0%af", "%ff", "%ed%a0%80", "%e2%98", "%F8%88%80%80%80"])
    func broken(_ text: String) {
        #expect(PercentEncoding.decode(text, plusIsSpace: true) == nil)
        #expect(PercentEncoding.decode(text, plusIsSpace: false) == nil)
    }
}
