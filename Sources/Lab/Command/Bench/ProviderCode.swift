/// An authorization code that tells the provider stand-in all that it would otherwise have to remember.
struct ProviderCode {
    /// How long the token endpoint takes to answer, in milliseconds.
    let delay: Int
    let person: Int
    let nonce: String

    init(delay: Int, person: Int, nonce: String) {
        self.delay = delay
        self.person = person
        self.nonce = nonce
    }

    /// - Returns: nil if it is not one of the bench's.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".")
        guard parts.count == 3, let delay = Int(parts[0]), let person = Int(parts[1]) else { return nil }
        self.init(delay: delay, person: person, nonce: String(parts[2]))
    }

    var text: String { "\(delay).\(person).\(nonce)" }
}
