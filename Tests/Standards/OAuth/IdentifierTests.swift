import OAuth
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    /// KELVIN SIGN and the letter K, which Swift's equality of `String` takes for one, and é in its two normal forms.
    private static let lookAlikes = [("\u{212A}IOSK", "KIOSK"), ("caf\u{E9}", "cafe\u{301}")]

    @Test("Two client ids are equal only if their octets are", arguments: lookAlikes)
    func clients(_ one: String, _ other: String) {
        #expect(one == other)
        #expect(ClientID(one) != ClientID(other))
        #expect([ClientID(one): 1][ClientID(other)] == nil)
        #expect([ClientID(one): 1][ClientID(one)] == 1)
    }

    @Test("Parameters are found, and names listed, only by their octets", arguments: lookAlikes)
    func parameters(_ one: String, _ other: String) {
        #expect(Parameters([(one, "1")])[other] == nil)
        #expect(Parameters([(one, "1")])[one] == "1")
        #expect(![one].containsExactly(other))
        #expect([other, one].containsExactly(one))
    }

    @Test("Two provider ids are equal only if their octets are", arguments: lookAlikes)
    func providers(_ one: String, _ other: String) {
        #expect(ProviderID(one) != ProviderID(other))
        #expect(Set([ProviderID(one)]).contains(ProviderID(other)) == false)
        #expect(Set([ProviderID(one)]).contains(ProviderID(one)))
    }
}
