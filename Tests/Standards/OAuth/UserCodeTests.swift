import Standards
import Synchronization
import Testing

@Suite("User codes")
struct UserCodeTests {
    /// A random source that returns one element of `octets` for each call, whatever count is requested.
    private static func source(_ octets: [[UInt8]]) -> RandomSource {
        let calls = Calls(octets)
        return RandomSource { _ throws(RandomFailure) in try calls.next() }
    }

    private final class Calls: Sendable {
        private let rest: Mutex<[[UInt8]]>

        init(_ octets: [[UInt8]]) {
            rest = Mutex(octets)
        }

        func next() throws(RandomFailure) -> [UInt8] {
            let octets = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let octets else { throw RandomFailure() }
            return octets
        }
    }

    @Test(
        "A code is read in any case, with any division (RFC 8628 §6.1)",
        arguments: [
            "WDJBMJHT", "WDJB-MJHT", "wdjb-mjht", "wDjBmJhT", "WDJB MJHT", " W D J B M J H T ", "W.D_J-B--M JHT",
            "-WDJBMJHT-",
        ])
    func read(_ typed: String) throws {
        let code = try #require(UserCode(typed: typed))
        #expect(code.text == "WDJBMJHT")
        #expect(code.description == "WDJB-MJHT")
    }

    @Test(
        "A text that is not a code is refused",
        arguments: [
            "", " ", "--------", "WDJBMJH", "WDJBMJHTT", "ADJBMJHT", "EDJBMJHT", "IDJBMJHT", "ODJBMJHT", "UDJBMJHT",
            "YDJBMJHT", "1DJBMJHT", "WDJB\tMJHT", "WDJB\nMJHT", "WDJB/MJHT", "ＷＤＪＢＭＪＨＴ", "WDJBMJH\u{422}", "WDJBMJH\0",
            "\u{17F}DJBMJHT", "\u{212A}DJBMJHT", String(repeating: " ", count: 57) + "WDJBMJHT",
        ])
    func none(_ typed: String) {
        #expect(UserCode(typed: typed) == nil)
    }

    @Test("A typed code may have 64 octets, and not one more")
    func length() {
        #expect(UserCode(typed: String(repeating: " ", count: 56) + "WDJBMJHT") != nil)
        #expect(UserCode(typed: String(repeating: " ", count: 57) + "WDJBMJHT") == nil)
    }

    @Test("A random code has eight consonants, each of them equally likely")
    func fresh() throws {
        let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
        for (index, letter) in letters.enumerated() {
            let octets = [UInt8](repeating: UInt8(index + 220), count: 8)
            #expect(try UserCode(random: Self.source([octets])).text == String(repeating: letter, count: 8))
        }
        // 240 is 12 times 20. Octets from 240 on are rejected, since they would favour the first letters.
        let rejected: [UInt8] = [240, 255, 0, 241, 19, 254, 239, 253]
        let code = try UserCode(random: Self.source([rejected, [UInt8](repeating: 1, count: 8)]))
        #expect(code.text == "BZZCCCCC")
    }

    @Test("A failing random source, and one that returns fewer than eight octets, is an error")
    func failure() {
        #expect(throws: RandomFailure()) { try UserCode(random: Self.source([])) }
        #expect(throws: RandomFailure()) { try UserCode(random: Self.source([[1, 2, 3], [255, 255, 255, 255]])) }
    }

    @Test("1,000 random codes are all different")
    func unique() throws {
        let codes = try (0..<1000).map { _ in try UserCode(random: .system).text }
        #expect(Set(codes).count == 1000)
        #expect(codes.allSatisfy { UserCode(typed: $0) != nil })
    }

    @Test("A digest depends only on the letters of the code, in any spelling")
    func digest() throws {
        let code = try #require(UserCode(typed: "WDJB-MJHT"))
        #expect(code.digest.count == 32)
        #expect(code.digest == UserCode(typed: "wdjbmjht")?.digest)
        #expect(code == UserCode(typed: "wdjb mjht"))
        #expect(code.digest != UserCode(typed: "WDJBMJHB")?.digest)
    }
}
