import JOSE
import Testing

@Suite("base64url")
struct Base64URLTests {
    @Test(
        "The examples of RFC 4648 §10 are encoded and decoded without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(bytes: String, text: String) throws {
        #expect(Base64URL.encode(Array(bytes.utf8)) == text)
        #expect(try Base64URL.decode(text) == Array(bytes.utf8))
    }

    @Test("All byte values, in texts of every length, are decoded unchanged")
    func roundTrip() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        for count in 0...bytes.count {
            let some = Array(bytes.suffix(count))
            #expect(try Base64URL.decode(Base64URL.encode(some)) == some)
        }
        #expect(Base64URL.encode([0xfb, 0xff, 0xbf]) == "-_-_")
    }

    @Test(
        "IDT-34: padding, the other alphabet, white space and any other character are refused",
        arguments: [
            "Zg==", "Zg=", "Zm8=", "Zm9v=", "+_-_", "-/-_", "Zm9v ", " Zm9v", "Zm 9v", "Zm9v\n", "Zm\t9v", "Zm9?",
            "Zm9#",
            "Zg%3D%3D", "Zm9é", "Zm\u{0}v", "Zm9\u{ff21}", "Zm9v.", "\"Zm9v\"",
        ])
    func alphabet(text: String) {
        #expect(throws: JOSEError.malformedBase64URL) { try Base64URL.decode(text) }
    }

    @Test("IDT-34: a length that no bytes can have is refused", arguments: ["Z", "Zm9vZ", "Zm9vYmFyA"])
    func length(text: String) {
        #expect(throws: JOSEError.malformedBase64URL) { try Base64URL.decode(text) }
    }

    @Test("IDT-42: one of the 16 spellings of a single byte is accepted, and one of the 4 spellings of two bytes")
    func canonicalTails() throws {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let one = alphabet.filter { (try? Base64URL.decode("Z\($0)")) != nil }
        #expect(one == "AQgw")
        let two = alphabet.filter { (try? Base64URL.decode("Zm\($0)")) != nil }
        #expect(two == "AEIMQUYcgkosw048")
    }
}
