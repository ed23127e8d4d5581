/// A TCP port in decimal digits.
enum Port {
    static func parse(_ text: some StringProtocol, from lowest: Int = 1) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.count == 1 || text.first != "0", let port = Int(text), (lowest...65_535).contains(port)
        else { return nil }
        return port
    }
}
