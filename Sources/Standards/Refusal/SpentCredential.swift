/// What a request has spent, and owns until it ends.
package protocol SpentCredential: Sendable {
    /// Makes the credential usable again.
    ///
    /// Only ``keepSpent(_:)`` calls it, once, if nothing was issued.
    ///
    /// - Returns: Whether that succeeded. If not, the credential counts as spent, so that it cannot be replayed.
    func giveBack() async -> Bool
}

extension SpentCredential {
    /// Runs the steps for which the credential was spent, and gives it back if they issue nothing.
    ///
    /// Only this function decides about that, by the refusal of the steps: a step that may have issued or written
    /// something, or after which the provider has spent the credential, throws one whose ``Refusal/isUnspent`` is
    /// `false`.
    ///
    /// - Returns: The value of the steps, after which the credential stays spent.
    /// - Throws: The refusal, which says whether the credential is unspent now.
    package func keepSpent<Value>(_ steps: () async throws -> Value) async throws -> Value {
        do {
            return try await steps()
        } catch {
            let refusal = Refusal(error)
            throw refusal.isUnspent ? refusal.with(isUnspent: await giveBack()) : refusal
        }
    }
}
