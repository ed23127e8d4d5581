/// Why the code is asked for once more.
package enum CodeProblem: Sendable, Equatable, CaseIterable {
    /// Wrong, expired or already used: the page does not say which, so that it helps nobody who guesses.
    case unknown
    case tooManyTries
    case missing
}
