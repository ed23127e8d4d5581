import Testing

@testable import Server

@Suite("The text of addresses")
struct IPAddressTextTests {
    @Test(
        "RFC 5952: the longest sequence of zeros is shortened, the first of two, and never a single group",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"), ("::", "::"), ("::1", "::1"),
            ("2001:db8::", "2001:db8::"), ("2001:0db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("2001:DB8::A", "2001:db8::a"),
        ])
    func text(_ address: String, _ text: String) throws {
        #expect(IPAddressText.write(try #require(AddressText.octets(address))) == text)
    }
}
