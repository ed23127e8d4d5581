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

    /// Returns the attacks of the section, in the order of its rows.
    func attacks(_ rows: Row...) -> [Attack] {
        rows.map { row in
            Attack(
                row.id, stage, row.severity ?? severity, row.sentence, oracle: row.oracle, source: row.source,
                needs: row.needs ?? needs, reveals: row.reveals, run: row.run)
        }
    }

    /// An attack without the values that it takes from its section.
    struct Row: Sendable {
        fileprivate let id: String
        fileprivate let sentence: String
        fileprivate let severity: Severity?
        fileprivate let oracle: String
        fileprivate let source: String
        fileprivate let needs: Set<Need>?
        fileprivate let reveals: Set<Mistake>
        fileprivate let run: @Sendable (AttackContext) async throws -> Void

        /// Describes an attack.
        ///
        /// - Parameters:
        ///   - sentence: What the attacker does, as a sentence.
        ///   - severity: The severity; `nil` for that of the section.
        ///   - oracle: What a correct server does.
        ///   - source: Standard, advisory or paper.
        ///   - needs: All needs; `nil` for those of the section.
        ///   - run: Sends the requests and judges the responses.
        static func attack(
            _ id: String, _ sentence: String, severity: Severity? = nil, oracle: String, source: String,
            needs: Set<Need>? = nil, reveals: Set<Mistake> = [],
            run: @escaping @Sendable (AttackContext) async throws -> Void
        ) -> Self {
            Self(
                id: id, sentence: sentence, severity: severity, oracle: oracle, source: source, needs: needs,
                reveals: reveals, run: run)
        }

        /// Describes an attack that tries one thing with each of `values`, in their order.
        ///
        /// The other parameters are those of ``attack(_:_:severity:oracle:source:needs:reveals:run:)``.
        static func sweep<Value: Sendable>(
            _ id: String, _ sentence: String, severity: Severity? = nil, oracle: String, source: String,
            needs: Set<Need>? = nil, reveals: Set<Mistake> = [], over values: [Value],
            run: @escaping @Sendable (AttackContext, Value) async throws -> Void
        ) -> Self {
            attack(id, sentence, severity: severity, oracle: oracle, source: source, needs: needs, reveals: reveals) {
                context in
                for value in values { try await run(context, value) }
            }
        }
    }
}
