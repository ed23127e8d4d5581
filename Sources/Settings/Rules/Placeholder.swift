/// What documentation and templates write where a secret belongs.
enum Placeholder {
    private static let words: Set<String> = [
        "changeit", "changeme", "changethis", "clientid", "clientsecret", "consumerkey", "consumersecret", "default",
        "dummy", "example", "examplesecret", "fixme", "insertsecret", "mysecret", "none", "null", "password",
        "placeholder", "replaceme", "replacethis", "sample", "secret", "tbd", "todo", "undefined",
    ]

    static func matches(_ text: String) -> Bool {
        let lowered = text.lowercased()
        let letters = lowered.filter { $0.isLetter || $0.isNumber }
        return Set(letters).count <= 1
            || words.contains(letters)
            || letters.hasPrefix("changeme")
            || lowered.hasPrefix("your-") || lowered.hasPrefix("your_") || lowered.hasPrefix("your ")
            || lowered.hasSuffix("...") || lowered.hasSuffix("…")
            || lowered.hasPrefix("<") && lowered.hasSuffix(">")
            || lowered.hasPrefix("${") || lowered.hasPrefix("{{")
    }

    /// Whether a key is nothing that a random generator makes: 32 random bytes have fewer than 8 different values
    /// about once in 10^50, and are never a count from 0 upwards.
    static func matches(key: [UInt8]) -> Bool {
        Set(key).count < 8 || zip(key, key.dropFirst()).allSatisfy { $0.1 == $0.0 &+ 1 }
    }
}
