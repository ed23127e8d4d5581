import Fixtures
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

    @Test("Two subjects, and two uids, are equal only if their octets are", arguments: equivalentTexts)
    func people(_ one: String, _ other: String) {
        #expect(Subject(one) != Subject(other) && Subject(one) == Subject(one))
        #expect(UID(one) != UID(other) && UID(one) == UID(one))
    }

    @Test("A subject is not empty", arguments: [(0, false), (1, true), (1000, true)])
    func subject(_ count: Int, _ isSubject: Bool) {
        let text = String(repeating: " ", count: count)
        #expect(Subject(text)?.text == (isSubject ? text : nil))
    }

    @Test("A uid has 1 to 128 characters", arguments: [(0, false), (1, true), (128, true), (129, false)])
    func length(_ count: Int, _ isUID: Bool) {
        let text = String(repeating: "a", count: count)
        #expect(UID(text)?.text == (isUID ? text : nil))
    }

    @Test("The length of a uid counts UTF-16 code units", arguments: [(64, true), (65, false)])
    func utf16(_ count: Int, _ isUID: Bool) {
        // One character, two units of UTF-16, four octets of UTF-8.
        #expect((UID(String(repeating: "\u{1F511}", count: count)) != nil) == isUID)
    }
}
