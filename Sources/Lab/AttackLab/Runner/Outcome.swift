/// What is known of one attack after it was tried.
package struct Outcome: Sendable {
    package let attack: Attack
    package let verdict: Verdict
    let shots: [Shot]
    let shotCount: Int
    let elision: Elision
    package let duration: Duration
}
