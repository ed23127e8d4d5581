/// A subject that is unlike what providers usually send, around a text that makes it fresh.
struct SubjectForm: Sendable {
    let letter: String
    let sentence: String
    let reveals: Set<Mistake>
    let make: @Sendable (String) -> String

    init(
        _ letter: String, _ sentence: String, _ reveals: Set<Mistake> = [], make: @escaping @Sendable (String) -> String
    ) {
        self.letter = letter
        self.sentence = sentence
        self.reveals = reveals
        self.make = make
    }
}

/// Two subjects that a careless comparison treats as equal.
struct SubjectTwins: Sendable {
    let letter: String
    let sentence: String
    let reveals: Set<Mistake>
    let make: @Sendable (String) -> (String, String)

    init(
        _ letter: String, _ sentence: String, _ reveals: Set<Mistake> = [],
        make: @escaping @Sendable (String) -> (String, String)
    ) {
        self.letter = letter
        self.sentence = sentence
        self.reveals = reveals
        self.make = make
    }
}
