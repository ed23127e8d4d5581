import Testing

@testable import Server

/// Tests of the parser, whose valid headers differ in one field from ``Header/ipv4``.
@Suite("The header of the PROXY protocol")
struct ProxyHeaderTests {
    @Test("A client over IPv4 or IPv6 is named by its address")
    func addresses() throws {
        let ipv4 = Header.ipv4.octets
        #expect(try ProxyHeader.parse(ipv4) == ProxyHeader(client: [192, 0, 2, 7], length: 28))
        let client: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [9]
        let ipv6 = Header(kind: 0x21, rest: client + [UInt8](repeating: 1, count: 20)).octets
        #expect(try ProxyHeader.parse(ipv6) == ProxyHeader(client: client, length: 52))
    }

    @Test(
        "The address of the connection counts for LOCAL, and for clients without an IP address",
        arguments: [
            Header(command: 0x20), Header(command: 0x20, kind: 0xFF, rest: [1]),
            Header(command: 0x20, kind: 0, rest: []), Header(kind: 0), Header(kind: 0, rest: []),
            Header(kind: 0x31, rest: [UInt8](repeating: 47, count: 216)),
        ])
    func ownAddress(header: Header) throws {
        #expect(try ProxyHeader.parse(header.octets) == ProxyHeader(client: nil, length: 16 + header.rest.count))
    }

    @Test("Fields after the addresses are skipped, up to the maximum of the whole header")
    func fields() throws {
        let longest = Header(rest: Header.ipv4.rest + [UInt8](repeating: 0xEE, count: 4096 - 28)).octets
        #expect(try ProxyHeader.parse(longest) == ProxyHeader(client: [192, 0, 2, 7], length: 4096))
    }

    @Test("Octets after the header belong to the client")
    func following() throws {
        let octets = Header.ipv4.octets + Array("GET / HTTP/1.1".utf8)
        #expect(try ProxyHeader.parse(octets)?.length == 28)
    }

    @Test("An incomplete header needs more octets, whatever its length")
    func incomplete() throws {
        let octets = Header.ipv4.octets
        for length in octets.indices { #expect(try ProxyHeader.parse(Array(octets[..<length])) == nil, "\(length)") }
        for length in 0..<6 { #expect(try ProxyHeader.parse(Array("PROXY ".utf8.prefix(length))) == nil, "\(length)") }
    }

    @Test(
        "A malformed header is refused",
        arguments: [
            (Array("GET / HTTP/1.1\r\n".utf8), ProxyHeaderError.noHeader), (Array("POST".utf8), .noHeader),
            ([13, 10, 13, 11], .noHeader), ([22, 3, 1], .noHeader),
            (Array("PROXY TCP4 192.0.2.7 192.0.2.1 5 443\r\n".utf8), .version1), (Array("PROXY ".utf8), .version1),
            (Header(command: 0x11).octets, .unknownVersion), (Header(command: 0x31).octets, .unknownVersion),
            (Header(command: 0x22).octets, .unknownCommand), (Header(command: 0x2F).octets, .unknownCommand),
            (Header(kind: 0x01).octets, .unsupportedAddresses), (Header(kind: 0x12).octets, .unsupportedAddresses),
            (Header(kind: 0x10).octets, .unsupportedAddresses), (Header(kind: 0x41).octets, .unsupportedAddresses),
            (Header(rest: [UInt8](repeating: 1, count: 11)).octets, .shortAddresses),
            (Header(kind: 0x21, rest: [UInt8](repeating: 1, count: 35)).octets, .shortAddresses),
            (Header(kind: 0x31, rest: [UInt8](repeating: 1, count: 215)).octets, .shortAddresses),
            (Array(Header(rest: [UInt8](repeating: 1, count: 4081)).octets.prefix(16)), .tooLong),
        ])
    func malformed(octets: [UInt8], error: ProxyHeaderError) {
        #expect(throws: error) { try ProxyHeader.parse(octets) }
    }
}

/// The parts of a header; by default those of a client at 192.0.2.7 over IPv4.
struct Header: Sendable {
    var command: UInt8 = 0x21
    var kind: UInt8 = 0x11
    var rest: [UInt8] = [192, 0, 2, 7, 198, 51, 100, 1, 0x1F, 0x90, 0x01, 0xBB]

    static let ipv4 = Self()

    static func client(_ address: [UInt8]) -> Self {
        Self(rest: address + ipv4.rest.dropFirst(4))
    }

    var octets: [UInt8] {
        [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, command, kind]
            + [UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)] + rest
    }
}
