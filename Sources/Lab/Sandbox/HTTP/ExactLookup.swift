extension Dictionary where Key == String {
    /// The value under exactly these bytes, where all keys are ASCII.
    ///
    /// Swift holds canonically equivalent strings for equal, so "K" would be found under KELVIN SIGN.
    subscript(exactly key: String) -> Value? {
        key.utf8.allSatisfy { $0 < 0x80 } ? self[key] : nil
    }
}
