extension Section {
    /// Refuses a key that belongs to a later version, unless it is left out or `null`.
    func refuseUnsupported(_ name: String, _ instead: String) {
        self[name]?.refuse("is not supported by this version: \(instead)")
    }
}
