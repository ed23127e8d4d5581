import Standards
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    /// Pairs that are equal by Swift's `==`: KELVIN SIGN and the letter K, and é in its two normal forms.
    private static let equivalentTexts = [("\u{212A}IOSK", "KIOSK"), ("caf\u{E9}", "cafe\u{301}")]

    @Test("Two client ids are equal only if their octets are", arguments: equivalentTexts)
    func clients(_ one: String, _ other: String) {
        #expect(one == other)
        #expect(ClientID(one) != ClientID(other))
        #expect([ClientID(one): 1][ClientID(other)] == nil)
        #expect([ClientID(one): 1][ClientID(one)] == 1)
    }

    @Test("Parameters are found only by the octets of their names", arguments: equivalentTexts)
    func parameters(_ one: String, _ other: String) {
        #expect(Parameters([(one, "1")])[other] == nil)
        #expect(Parameters([(one, "1")])[one] == "1")
    }

    @Test("Two provider ids are equal only if their octets are", arguments: equivalentTexts)
    func providers(_ one: String, _ other: String) {
        #expect(ProviderID(one) != ProviderID(other))
        #expect(Set([ProviderID(one)]).contains(ProviderID(other)) == false)
        #expect(Set([ProviderID(one)]).contains(ProviderID(one)))
    }
}
