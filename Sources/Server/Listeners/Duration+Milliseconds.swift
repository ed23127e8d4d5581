extension Duration {
    /// Milliseconds with three decimals: `12.345`.
    var millisecondsText: String {
        let microseconds = Int64(self / .microseconds(1))
        let digits = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
