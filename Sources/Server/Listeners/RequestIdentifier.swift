/// The name of one request in answers and logs.
///
/// Ours alone: what a client sends is not believed.
enum RequestIdentifier {
    /// 32 hexadecimal digits.
    static func make() -> String {
        let halves = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return halves.map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
