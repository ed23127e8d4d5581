import Fixtures
import Standards
import Stores
import Testing

@Suite("Sign-in methods at Firebase")
struct SignInMethodsTests {
    @Test("Names are kept once each, in the order of their bytes, and are restored from their text")
    func baseline() {
        let ways = SignInMethods(["phone", "google.com", "password", "phone"])
        #expect(ways.names == ["google.com", "password", "phone"])
        #expect(SignInMethods(text: ways.text) == ways)
        #expect(ways.union(["apple.com", "phone"]).names == ["apple.com", "google.com", "password", "phone"])
        #expect(SignInMethods().text == nil && SignInMethods(text: nil).isEmpty)
    }

    @Test("Names that only look alike are different")
    func octets() {
        let ways: SignInMethods = ["\u{212A}.example", "K.example"]
        #expect(ways.names.count == 2)
        #expect(ways != ["K.example"] && SignInMethods(["\u{212A}.example"]) != SignInMethods(["K.example"]))
    }

    @Test("Empty names, names with separators, long names and names after the 32nd are left out")
    func malformed() {
        #expect(SignInMethods(["", "a b", "a\nb", "a\u{7F}", ProviderID(String(repeating: "a", count: 129))]).isEmpty)
        #expect(SignInMethods((0..<40).map { "p\($0)" }).names.count == 32)
    }
}
