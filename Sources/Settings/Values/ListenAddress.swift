package struct ListenAddress: Sendable, Equatable {
    /// An address without brackets, or `localhost`.
    package let host: String
    /// The port; with 0 the system chooses.
    package let port: Int

    package var isLoopback: Bool {
        host == "localhost" || IPAddress.parse(host).map(IPAddress.isLoopback) == true
    }

    /// The host and port by which this machine reaches the listener; the loopback address for a listener on all addresses.
    package var localText: String {
        guard IPAddress.parse(host)?.allSatisfy({ $0 == 0 }) == true else { return description }
        return "\(host.contains(":") ? "[::1]" : "127.0.0.1"):\(port)"
    }

    /// Whether the two addresses cannot be bound at the same time.
    func collides(with other: Self) -> Bool {
        guard port == other.port, port != 0 else { return false }
        let everywhere = [host, other.host].contains { IPAddress.parse($0)?.allSatisfy { $0 == 0 } == true }
        return everywhere || host == other.host
            || [host, other.host].contains("localhost") && isLoopback && other.isLoopback
    }

    static func parse(_ text: String) -> ListenAddress? {
        guard let colon = text.lastIndex(of: ":"), let port = Port.parse(text[text.index(after: colon)...], from: 0)
        else { return nil }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = host.dropFirst().dropLast()
            return IPAddress.version6(inner).map { _ in ListenAddress(host: String(inner), port: port) }
        }
        guard host == "localhost" || IPAddress.version4(host) != nil else { return nil }
        return ListenAddress(host: String(host), port: port)
    }
}

extension ListenAddress: CustomStringConvertible {
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension Entry {
    /// Reads an address and a port: as text, from a variable (`env:NAME`), or with the port from a variable
    /// (`0.0.0.0:env:PORT`), as platforms that choose the port pass it.
    func listenAddress() -> ListenAddress? {
        guard let written = text() else { return nil }
        guard let reference = written.ranges(of: "env:").last,
            reference.lowerBound == written.startIndex || written[..<reference.lowerBound].hasSuffix(":")
        else {
            // A shell would replace it. This file is read as it is.
            guard let sign = written.firstIndex(of: "$"),
                sign == written.startIndex || written[..<sign].hasSuffix(":")
            else { return ListenAddress.parse(written) ?? refusing(Self.listenForm) }
            let host = sign == written.startIndex ? "0.0.0.0:" : written[..<sign]
            return refusing("has a variable of a shell: write \(host)env:NAME for the port in the variable NAME")
        }
        guard let (value, origin) = environmentText(of: String(written[reference.upperBound...])) else { return nil }
        let host = String(written[..<reference.lowerBound])
        // With port 0 in the variable, the platform would call another port than the one that the system chooses.
        if let address = ListenAddress.parse(host + value), host.isEmpty || address.port != 0 { return address }
        if ListenAddress.parse(host + "0") != nil {
            // Kubernetes sets NAME_PORT for each service NAME, as the links of Docker did.
            if value.hasPrefix("tcp://") {
                return refusing(
                    "\(origin) has the address of a service and not a port, as Kubernetes sets it for a service of that name: write "
                        + "the port itself, name another variable, or set enableServiceLinks: false for the pod")
            }
            guard unquoted(value, from: origin) != nil else { return nil }
            return refusing(
                "\(origin) is \(value.isEmpty ? "empty" : "not a port"): set it to a number from 1 to 65535")
        }
        return refusing(
            Port.parse(value, from: 0) != nil
                ? "\(origin) has only a port: write 0.0.0.0:env:NAME"
                : "\(origin) does not make it an address and a port: \(Self.listenForm)")
    }

    private static let listenForm = "write an address and a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080"
}

/// A TCP port in decimal digits.
enum Port {
    static func parse(_ text: some StringProtocol, from lowest: Int = 1) -> Int? {
        guard (1...5).contains(text.utf8.count), text.consists(of: .digits),
            text.utf8.count == 1 || text.first != "0", let port = Int(text), (lowest...65_535).contains(port)
        else { return nil }
        return port
    }
}
