/// Why a connection was closed before its first request, on a listener that expects the PROXY protocol.
enum ProxyHeaderError: String, Error, Equatable, Sendable {
    /// The peer is not a trusted proxy.
    case untrustedPeer = "untrusted_peer"
    /// The connection does not begin with the signature of version 2.
    case noHeader = "no_header"
    /// The connection begins with a header of version 1, which is a line of text.
    case version1 = "version_1"
    /// The header has the signature of version 2 and the number of another version.
    case unknownVersion = "unknown_version"
    /// The command is neither LOCAL nor PROXY.
    case unknownCommand = "unknown_command"
    /// The addresses are of an unknown kind, or those of a connection without a stream.
    case unsupportedAddresses = "unsupported_addresses"
    /// The header ends before its addresses do.
    case shortAddresses = "short_addresses"
    /// The header is longer than ``ProxyHeader/maximumLength``.
    case tooLong = "too_long"
    /// The connection ended, or its deadline passed, before the header was complete.
    case incomplete = "incomplete"
}

/// The header with which a proxy names its client at the beginning of a connection: version 2 of the PROXY protocol.
///
/// - SeeAlso: <https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt>, section 2.2
struct ProxyHeader: Equatable, Sendable {
    /// The 4 or 16 octets of the client's address; `nil` if the address of the connection itself counts.
    ///
    /// That is so for connections of the proxy itself (LOCAL), such as its health checks, and for clients without an IP
    /// address (UNSPEC and UNIX).
    let client: [UInt8]?
    /// The number of octets before those of the client.
    let length: Int

    /// Enough for the addresses and what a proxy tells about TLS, so that a header needs little memory.
    static let maximumLength = 4096

    static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    static let version1 = Array("PROXY ".utf8)
    /// The signature, version and command, kind of addresses, and length of the rest.
    private static let fixedLength = signature.count + 4

    /// Parses the header.
    ///
    /// Fields after the addresses (TLV) are skipped. A checksum among them is not verified, because TCP has verified the
    /// octets.
    ///
    /// - Parameter octets: The first octets of a connection.
    /// - Returns: `nil` if more octets are needed.
    static func parse(_ octets: [UInt8]) throws(ProxyHeaderError) -> Self? {
        if !octets.isEmpty, version1.starts(with: octets.prefix(version1.count)) {
            guard octets.count >= version1.count else { return nil }
            throw .version1
        }
        guard signature.starts(with: octets.prefix(signature.count)) else { throw .noHeader }
        guard octets.count >= fixedLength else { return nil }
        let (version, command) = (octets[12] >> 4, octets[12] & 0xF)
        guard version == 2 else { throw .unknownVersion }
        let rest = Int(octets[14]) << 8 | Int(octets[15])
        guard fixedLength + rest <= maximumLength else { throw .tooLong }
        let addresses: Addresses?
        switch command {
        case 0: addresses = Addresses(length: 0, clientLength: 0)
        case 1: addresses = Addresses(kind: octets[13])
        default: throw .unknownCommand
        }
        guard let addresses else { throw .unsupportedAddresses }
        guard rest >= addresses.length else { throw .shortAddresses }
        guard octets.count >= fixedLength + rest else { return nil }
        let client = Array(octets[fixedLength...].prefix(addresses.clientLength))
        return Self(client: client.isEmpty ? nil : client, length: fixedLength + rest)
    }

    /// The octets of both addresses and ports, of which the first are the client's address.
    private struct Addresses {
        let length: Int
        let clientLength: Int

        init(length: Int, clientLength: Int) {
            self.length = length
            self.clientLength = clientLength
        }

        /// Returns `nil` for an unknown kind, and for datagrams, which this listener does not receive.
        init?(kind: UInt8) {
            switch kind {
            case 0x00: self.init(length: 0, clientLength: 0)
            case 0x11: self.init(length: 12, clientLength: 4)
            case 0x21: self.init(length: 36, clientLength: 16)
            case 0x31: self.init(length: 216, clientLength: 0)
            default: return nil
            }
        }
    }
}
