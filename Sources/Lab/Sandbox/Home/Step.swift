/// One message of a run, and what came of sending it again.
struct Step: Sendable {
    /// From 1, in the order in which they were sent.
    let number: Int
    let kind: StepKind
    /// What is particular about this one; plain text.
    var note: String?
    let request: RecordedRequest
    var outcome: Outcome
    /// Of the last replay.
    var replay: Outcome?
    var replayCount = 0
}
