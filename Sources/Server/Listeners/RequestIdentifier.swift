/// Makes the identifier of a request for responses and logs.
///
/// An identifier that the client sends is ignored: it could imitate that of another request.
enum RequestIdentifier {
    /// Returns 32 random hexadecimal digits.
    static func make() -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(32)
        for _ in 0..<2 {
            let half = UInt64.random(in: .min ... .max)
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: half >> shift) & 0xF
                digits.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
