/// One attack: what the attacker does, what a correct server does about it, and the code that tries.
package struct Attack: Sendable, Identifiable {
    /// As in the catalogue, `IDT-19`; a small letter behind it tells variants apart.
    package let id: String
    package let stage: Stage
    package let severity: Severity
    /// What is done, with the attacker as the subject.
    package let sentence: String
    /// What a correct server does.
    package let oracle: String
    /// Standard, advisory or paper.
    package let source: String
    package let needs: Set<Need>
    /// The mistakes that this attack finds: each makes it succeed, and no other does.
    package let reveals: Set<Mistake>
    let strike: @Sendable (Strike) async throws -> Void

    init(
        _ id: String, _ stage: Stage, _ severity: Severity, _ sentence: String, oracle: String, source: String,
        needs: Set<Need> = [.standIns], reveals: Set<Mistake> = [],
        strike: @escaping @Sendable (Strike) async throws -> Void
    ) {
        self.id = id
        self.stage = stage
        self.severity = severity
        self.sentence = sentence
        self.oracle = oracle
        self.source = source
        self.needs = needs
        self.reveals = reveals
        self.strike = strike
    }
}
