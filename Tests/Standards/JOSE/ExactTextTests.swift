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
        #expect(Name(one) != Name(other))
        #expect(Set([Name(one), Name(other)]).count == 2)
        #expect(Set([Name(one)]).contains(Name(one)))
    }

    @Test("Identifiers are in the order of their octets")
    func order() {
        #expect(
            ["b", "\u{E9}", "e\u{301}", "B"].map { Name($0) }.sorted().map(\.text) == ["B", "b", "e\u{301}", "\u{E9}"])
    }

    private struct Name: OctetIdentifier {
        let text: String

        init(_ text: String) { self.text = text }
    }
}
