/// One request of an attack and what became of it.
struct Shot: Sendable {
    let request: Request
    let base: String
    let reply: Reply
    /// Nil for a step that anybody may take.
    let expectation: String?
    let findings: [Finding]
}
