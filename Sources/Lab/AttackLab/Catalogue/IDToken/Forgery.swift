/// A forged ID token, one variant of a row.
struct Forgery: Sendable {
    typealias Change = @Sendable (inout TokenDraft, Strike) async throws -> Void

    /// The suffix of the row's id.
    let letter: String
    let sentence: String
    /// Expected reasons; `nil` for those of the row.
    let reasons: Set<String>?
    /// Mistakes that this variant finds, in addition to those of the row.
    let reveals: Set<Mistake>
    let change: Change

    init(
        _ letter: String, _ sentence: String, reasons: Set<String>? = nil, reveals: Set<Mistake> = [],
        change: @escaping Change
    ) {
        self.letter = letter
        self.sentence = sentence
        self.reasons = reasons
        self.reveals = reveals
        self.change = change
    }
}

/// A row of the catalogue whose variants each post an ID token with one fault.
struct ForgeryRow: Sendable {
    let id: String
    let severity: Severity
    let oracle: String
    let source: String
    let reasons: Set<String>
    var reveals: Set<Mistake> = []
    let forgeries: [Forgery]

    var attacks: [Attack] {
        forgeries.map { forgery in
            let reasons = forgery.reasons ?? reasons
            return Attack(
                id + forgery.letter, .idToken, severity, forgery.sentence, oracle: oracle, source: source,
                reveals: reveals.union(forgery.reveals)
            ) { strike in
                try await strike.fire(forged: reasons) { draft in try await forgery.change(&draft, strike) }
            }
        }
    }
}
