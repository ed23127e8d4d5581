import Accounts
import Testing

@Suite("UIDs")
struct UIDTests {
    @Test("A uid has 1 to 128 characters", arguments: [(0, false), (1, true), (128, true), (129, false)])
    func length(_ count: Int, _ isUID: Bool) {
        let text = String(repeating: "a", count: count)
        #expect(UID(text)?.text == (isUID ? text : nil))
    }

    @Test("They are counted as UTF-16 does", arguments: [(64, true), (65, false)])
    func utf16(_ count: Int, _ isUID: Bool) {
        // One character, two units of UTF-16, four octets of UTF-8.
        #expect((UID(String(repeating: "\u{1F511}", count: count)) != nil) == isUID)
    }

    @Test("Two uids are equal only if their octets are")
    func octets() {
        #expect(UID("\u{212A}") != UID("K"))
        #expect(UID("K") == UID("K"))
    }
}
