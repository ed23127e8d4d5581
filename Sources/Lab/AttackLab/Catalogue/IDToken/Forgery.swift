/// An ID token of the provider with one defect, a variant of a row.
struct Forgery: Sendable {
    typealias Change = @Sendable (inout TokenDraft, AttackContext) async throws -> Void

    /// The suffix of the row's id.
    let letter: String
    /// What distinguishes the token, to follow "an ID token".
    let what: String
    /// Expected reasons; `nil` for those of the row.
    let reasons: Set<String>?
    /// Mistakes that this variant finds, in addition to those of the row.
    let reveals: Set<Mistake>
    /// The endpoints at which the token is wrong.
    let doors: [TokenDoor]
    let change: Change

    init(
        _ letter: String, _ what: String, reasons: Set<String>? = nil, reveals: Set<Mistake> = [],
        doors: [TokenDoor] = TokenDoor.allCases, change: @escaping Change
    ) {
        self.letter = letter
        self.what = what
        self.reasons = reasons
        self.reveals = reveals
        self.doors = doors
        self.change = change
    }

    /// Makes a token with another text than that of a valid one.
    init(
        _ letter: String, _ what: String, reasons: Set<String>? = nil, reveals: Set<Mistake> = [],
        text: @escaping @Sendable (String) -> String
    ) {
        self.init(letter, what, reasons: reasons, reveals: reveals) { draft, _ in draft.finish = text }
    }
}

/// A row of the catalogue: ID tokens of which each has one defect, each sent to every endpoint that takes ID tokens.
struct ForgeryRow: Sendable {
    let id: String
    let severity: Severity
    let oracle: String
    let source: String
    let reasons: Set<String>
    var reveals: Set<Mistake> = []
    let forgeries: [Forgery]

    func attacks(at door: TokenDoor) -> [Attack] {
        forgeries.filter { $0.doors.contains(door) }.map { forgery in
            let reasons = forgery.reasons ?? reasons
            return Attack(
                door.id(of: id + forgery.letter), door.stage, severity, door.sentence(forgery.what), oracle: oracle,
                source: source, needs: door.needs, reveals: door.revealed(by: reveals.union(forgery.reveals))
            ) { context in
                try await door.fire(context, expecting: reasons) { try await forgery.change(&$0, context) }
            }
        }
    }
}

/// The table of defects.
enum ForgedTokens {
    static let rows: [ForgeryRow] = [
        ForgedHeaders.rows, ForgedSignatures.rows, ForgedKeyIDs.rows, ForgedDocuments.rows, SharedSecrets.rows,
        PostedTexts.rows, OtherTokens.rows, ForgedClaims.rows, ForgedTimes.rows,
    ].flatMap(\.self)

    static let attacks: [Attack] = TokenDoor.allCases.flatMap { door in rows.flatMap { $0.attacks(at: door) } }
}
