extension Provider {
    /// The flow by which a person is asked to log in again: `flow` if it is named, otherwise the default one, otherwise
    /// the first by name that can ask.
    ///
    /// - Returns: Nil if none can.
    package func flowForFreshLogin(_ flow: String?) -> String? {
        let candidates = flow.map { [$0] } ?? [defaultFlow] + protocols.keys.sorted()
        return candidates.first { protocols[$0]?.freshLogin != nil }
    }
}
