@testable import Server

/// The first octets of a connection, as a header of the PROXY protocol.
enum ProxyTarget {
    static func check(_ input: [UInt8]) {
        let whole = Result { () throws(ProxyHeaderError) in try ProxyHeader.parse(input) }
        guard case .success(let header?) = whole else { return }
        demand(
            (16...min(input.count, ProxyHeader.maximumLength)).contains(header.length), "a header has 16 octets or more"
        )
        demand(header.client.map { [4, 16].contains($0.count) } ?? true, "an address has 4 or 16 octets")
        let exact = Array(input.prefix(header.length))
        demand((try? ProxyHeader.parse(exact)) == header, "octets after the header change nothing")
        let short = Array(exact.dropLast())
        demand((try? ProxyHeader.parse(short)) == .some(nil), "a header without its end is incomplete")
    }
}
