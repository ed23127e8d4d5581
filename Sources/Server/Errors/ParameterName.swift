/// The name of a parameter as a refusal may repeat it: 1 to 64 visible ASCII characters.
///
/// A request chooses the names of its parameters. One that is longer, or that holds anything else, is not repeated: a
/// refusal must not carry text of a request into logs and consoles.
struct ParameterName: Sendable, Equatable {
    let text: String

    /// Returns nil if the name must not be repeated.
    init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.text = text
    }
}
