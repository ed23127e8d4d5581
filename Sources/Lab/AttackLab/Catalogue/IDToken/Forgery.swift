/// One wrong ID token among others that are refused alike.
struct Forgery: Sendable {
    typealias Change = @Sendable (inout TokenDraft, Strike) async throws -> Void

    /// Behind the id of its row.
    let letter: String
    let sentence: String
    /// Nil for those of its row.
    let reasons: Set<String>?
    /// Beside those of its row.
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

/// A row of the catalogue whose variants each post one ID token that is right but for one thing.
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
