import Jansson

/// The last runs, in memory.
actor RunStore {
    static let maximumRuns = 50
    static let maximumSteps = 60

    /// Oldest first.
    private var runs: [Run] = []
    /// Messages between server and provider that are not assigned to a run yet, oldest first.
    private var unassigned: [(exchange: ProviderMessage, outcome: Outcome)] = []
    /// The authenticator applications by the keys of their users.
    private(set) var authenticators: [String: SandboxAuthenticator] = [:]
    /// The uids of all runs with a custom token, also of the runs that were removed.
    private(set) var uids: Set<String> = []
    private let clock: SandboxClock

    init(clock: SandboxClock) {
        self.clock = clock
    }

    /// Starts a run and returns its id.
    ///
    /// If there are too many runs, the oldest is removed.
    func begin(_ scenario: Scenario, with provider: String, origin: String) throws(Refusal) -> String {
        let id = try RandomText.make(22)
        if runs.count >= Self.maximumRuns { runs.removeFirst() }
        runs.append(Run(id: id, scenario: scenario, provider: provider, origin: origin, startedAt: clock.now))
        return id
    }

    func run(_ id: String) -> Run? {
        runs.first { $0.id.utf8.elementsEqual(id.utf8) }
    }

    /// Newest first.
    func recent(_ count: Int) -> [Run] { runs.suffix(count).reversed() }

    /// Appends a step and returns its number, or `nil` if the run no longer exists or its record is full.
    func append(
        _ kind: StepKind, _ request: RecordedRequest, _ outcome: Outcome = .underWay, note: String? = nil,
        to id: String
    ) -> Int? {
        change(id) { run in
            guard run.steps.count < Self.maximumSteps else { return nil }
            let number = run.steps.count + 1
            run.steps.append(Step(number: number, kind: kind, note: note, request: request, outcome: outcome))
            return number
        } ?? nil
    }

    func complete(_ number: Int, of id: String, _ outcome: Outcome) {
        change(id) { $0.steps[number - 1].outcome = outcome }
    }

    /// Stores the outcome of a replay, in place of an earlier one.
    func add(replay outcome: Outcome, to number: Int, of id: String) {
        change(id) { run in
            guard run.steps.indices.contains(number - 1) else { return }
            run.steps[number - 1].replayCount += 1
            run.steps[number - 1].replay = outcome
        }
    }

    func move(_ id: String, to stage: Run.Stage) {
        change(id) { $0.stage = stage }
    }

    /// Returns the stage of the run if it fits, and moves the run to ``Run/Stage/working``.
    ///
    /// So only one of two callbacks is accepted.
    func takeStage(_ id: String, if fits: @Sendable (Run.Stage) -> Bool) -> Run.Stage? {
        change(id) { run in
            guard fits(run.stage) else { return nil }
            defer { run.stage = .working }
            return run.stage
        } ?? nil
    }

    func keep(_ authenticator: SandboxAuthenticator, of user: SandboxUser) {
        authenticators[user.key] = authenticator
    }

    func forgetAuthenticator(of user: SandboxUser) {
        authenticators[user.key] = nil
    }

    /// Seconds since 1970-01-01T00:00:00Z on the clock of the stand-ins.
    var now: Int64 { clock.now }

    func finish(_ id: String, with result: JSON?) {
        if let uid = result?["uid"]?.string { uids.insert(uid) }
        change(id) { run in
            run.stage = .ended
            run.result = result ?? run.result
        }
    }

    /// Adds codes and tokens to a run, and assigns the waiting messages that carry one of them.
    func recognize(_ handles: Set<String>, as id: String) {
        change(id) { $0.handles.formUnion(handles) }
        let known = unassigned.filter { !$0.exchange.handles.isDisjoint(with: handles) }
        unassigned.removeAll { !$0.exchange.handles.isDisjoint(with: handles) }
        for (exchange, outcome) in known { _ = append(exchange.kind, exchange.request, outcome, to: id) }
    }

    /// The run that a message belongs to, found by the browser's cookie or by a code or token.
    func run(named id: String?, orKnowing handles: Set<String>) -> Run? {
        if let named = id.flatMap(run) {
            guard case .ended = named.stage else { return named }
        }
        return runs.last { !$0.handles.isDisjoint(with: handles) }
    }

    func keep(unassigned exchange: ProviderMessage, _ outcome: Outcome) {
        unassigned = (unassigned + [(exchange, outcome)]).suffix(Self.maximumRuns)
    }

    @discardableResult
    private func change<Value>(_ id: String, _ body: (inout Run) -> Value) -> Value? {
        guard let index = runs.firstIndex(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return nil }
        return body(&runs[index])
    }
}
