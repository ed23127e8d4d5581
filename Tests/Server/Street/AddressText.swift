/// Addresses as `serve` reads them, as far as a test writes any.
enum AddressText {
    /// Four octets, or sixteen; nil for what is no address.
    @Sendable static func octets(_ text: String) -> [UInt8]? {
        guard text.contains(":") else {
            let octets = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
            guard octets.count == 4, !octets.contains(nil) else { return nil }
            return octets.compactMap(\.self)
        }
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
            .map { $0.split(separator: ":").map { UInt16($0, radix: 16) } }
        let groups = halves.flatMap(\.self)
        guard halves.count <= 2, !groups.contains(nil), groups.count <= 8 else { return nil }
        let zeros = [UInt16?](repeating: 0, count: halves.count == 2 ? 8 - groups.count : 0)
        let all = (halves.first ?? []) + zeros + (halves.count == 2 ? halves[1] : [])
        guard all.count == 8 else { return nil }
        return all.compactMap(\.self).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
