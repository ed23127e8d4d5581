extension Section {
    /// What a key of a later version may say today, because it changes nothing.
    enum Inert {
        /// `null`, or left out.
        case absent
        /// `false`, `off` and `no` alike.
        case off
        case on
        case emptyList
        case word(String)
    }

    /// Refuses a key that belongs to a later version, unless it says what holds anyway.
    func refuseUnsupported(_ name: String, unless inert: Inert, _ instead: String = "leave it out") {
        guard let entry = self[name] else { return }
        let holds =
            switch inert {
            case .absent: false
            case .off: entry.isOff
            case .on: entry.isOn
            case .emptyList: entry.isEmptyList
            case .word(let word): entry.writtenText == word
            }
        guard !holds else { return }
        entry.refuse("is not supported by this version: \(instead)")
    }
}
