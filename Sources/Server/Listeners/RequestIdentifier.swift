/// Makes the identifier of a request for responses and logs.
///
/// An identifier that the client sends is ignored: it could imitate that of another request.
enum RequestIdentifier {
    /// Returns 32 random hexadecimal digits.
    static func make() -> String {
        let halves = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return halves.map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
