/// One request of an attack and what became of it.
struct Shot: Sendable {
    let request: Request
    let base: String
    let reply: Reply
    /// Nil for a step that is no attack.
    let expectation: String?
    let findings: [Finding]
}
