import JOSE
import Testing

/// Pairs that are equal by Swift's `==`: KELVIN SIGN and the letter K, and é in its two normal forms.
private let equivalentTexts = [("\u{212A}IOSK", "KIOSK"), ("caf\u{E9}", "cafe\u{301}")]

@Suite("Texts compared by their octets")
struct ExactTextTests {
    @Test("Equivalent texts with different octets are not equal", arguments: equivalentTexts)
    func texts(_ one: String, _ other: String) {
        #expect(one == other)
        #expect(!one.exactlyEquals(other))
        #expect(one.exactlyEquals(one))
    }

    @Test("A list contains a text only if it has an element with the same octets", arguments: equivalentTexts)
    func lists(_ one: String, _ other: String) {
        #expect(![one].containsExactly(other))
        #expect([other, one].containsExactly(one))
    }

    @Test("Identifiers with different octets are two members of a set", arguments: equivalentTexts)
    func identifiers(_ one: String, _ other: String) {
        #expect(Name(text: one) != Name(text: other))
        #expect(Set([Name(text: one), Name(text: other)]).count == 2)
        #expect(Set([Name(text: one)]).contains(Name(text: one)))
    }

    private struct Name: OctetIdentifier {
        let text: String
    }
}
