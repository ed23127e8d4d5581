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
        _ letter: String, _ what: String, doors: [TokenDoor] = TokenDoor.allCases,
        text: @escaping @Sendable (String) -> String
    ) {
        self.init(letter, what, doors: doors) { draft, _ in draft.finish = text }
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
    /// Those of ``reveals`` with which a backend refuses the tokens as well, for another reason.
    var renames: Set<Mistake> = [.crashOnGarbage]
    let forgeries: [Forgery]

    func attacks(at door: TokenDoor) -> [Attack] {
        forgeries.filter { $0.doors.contains(door) }.map { forgery in
            Attack(
                door.id(of: id + forgery.letter), door.stage, severity, door.sentence(forgery.what), oracle: oracle,
                source: source, needs: door.needs, reveals: revealed(by: forgery, at: door),
                run: run(forgery, at: door))
        }
    }

    private func revealed(by forgery: Forgery, at door: TokenDoor) -> Set<Mistake> {
        let mistakes = reveals.union(forgery.reveals)
        return switch door {
        case .exchange, .redeemedCode, .link: mistakes
        // The naive backend forgets the audience here.
        case .subjectToken: mistakes.contains(.audienceUnchecked) ? mistakes.union([.forgottenDoor]) : mistakes
        // A redirect with an error does not name the reason.
        case .callback: mistakes.subtracting(renames)
        }
    }

    /// Returns the code of an attack that sends a forged token and expects its refusal.
    func run(_ forgery: Forgery, at door: TokenDoor) -> @Sendable (AttackContext) async throws -> Void {
        let reasons = forgery.reasons ?? reasons
        return { context in
            try await door.fire(context, expecting: reasons) { try await forgery.change(&$0, context) }
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
