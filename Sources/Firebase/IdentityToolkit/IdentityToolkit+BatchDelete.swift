internal import Jansson

extension IdentityToolkit {
    private static let batchLimit = 1000

    /// Deletes users whether they are disabled or not; unknown ones are passed over.
    ///
    /// A thousand a request, and one request a second, which is all that Firebase allows.
    ///
    /// - Returns: those that Firebase would not delete.
    package func delete(_ uids: [String]) async throws(IdentityToolkitError) -> [String] {
        var kept: [String] = []
        var rest = uids[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchLimit)
            rest = rest.dropFirst(Self.batchLimit)
            let body: [String: JSON] = ["localIds": .array(batch.map { .string($0) }), "force": .bool(true)]
            let answer = try await endpoint.ask("accounts:batchDelete", .object(body), .repeatable)
            for error in try answer.list("errors") {
                // A user of whom it is not said which one stays must not pass for a deleted one.
                guard let uid = error["localId"]?.string else { throw .malformedAnswer }
                kept.append(uid)
            }
            if !rest.isEmpty { await endpoint.patience.pause(.seconds(1)) }
        }
        return kept
    }
}
