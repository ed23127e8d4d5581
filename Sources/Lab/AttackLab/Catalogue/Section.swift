/// A part of the catalogue: attacks of one stage that usually share a severity and needs.
struct Section: Sendable {
    private let stage: Stage
    private let severity: Severity
    private let needs: Set<Need>

    /// - Parameters:
    ///   - stage: The stage of every attack of the section.
    ///   - severity: The severity of attacks that state none.
    ///   - needs: The needs of attacks that state none.
    init(_ stage: Stage, _ severity: Severity, needs: Set<Need> = [.standIns]) {
        self.stage = stage
        self.severity = severity
        self.needs = needs
    }

    /// Describes an attack of this section.
    ///
    /// - Parameters:
    ///   - id: The id in the catalogue.
    ///   - sentence: What the attacker does, as a sentence.
    ///   - severity: `nil` stands for the severity of the section.
    ///   - oracle: What a correct server does.
    ///   - source: Standard, advisory or paper.
    ///   - needs: `nil` stands for the needs of the section; a set replaces them.
    ///   - reveals: The mistakes that the attack finds.
    ///   - strike: Sends the requests and judges the answers.
    /// - Returns: the attack.
    func attack(
        _ id: String, _ sentence: String, severity: Severity? = nil, oracle: String, source: String,
        needs: Set<Need>? = nil, reveals: Set<Mistake> = [],
        strike: @escaping @Sendable (Strike) async throws -> Void
    ) -> Attack {
        Attack(
            id, stage, severity ?? self.severity, sentence, oracle: oracle, source: source, needs: needs ?? self.needs,
            reveals: reveals, strike: strike)
    }

    /// Describes an attack that tries one thing with each value of a list.
    ///
    /// - Parameters:
    ///   - id: The id in the catalogue.
    ///   - sentence: What the attacker does, as a sentence.
    ///   - severity: `nil` stands for the severity of the section.
    ///   - oracle: What a correct server does.
    ///   - source: Standard, advisory or paper.
    ///   - needs: `nil` stands for the needs of the section; a set replaces them.
    ///   - reveals: The mistakes that the attack finds.
    ///   - values: The values, in the order in which they are tried.
    ///   - strike: Tries one value.
    ///   - afterwards: Runs once after the last value, for what must still work.
    /// - Returns: the attack.
    func sweep<Value: Sendable>(
        _ id: String, _ sentence: String, severity: Severity? = nil, oracle: String, source: String,
        needs: Set<Need>? = nil, reveals: Set<Mistake> = [], over values: [Value],
        strike: @escaping @Sendable (Strike, Value) async throws -> Void,
        afterwards: @escaping @Sendable (Strike) async throws -> Void = { _ in }
    ) -> Attack {
        attack(id, sentence, severity: severity, oracle: oracle, source: source, needs: needs, reveals: reveals) {
            context in
            for value in values { try await strike(context, value) }
            try await afterwards(context)
        }
    }
}
