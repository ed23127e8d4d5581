extension Catalogue {
    static let handoff: [Attack] = [
        handoffReplays, handoffTimes, handoffBindings, handoffVerifiers, madeUpHandoffs, otherSecretsAsHandoffs,
        handoffRequests, handoffAccounts,
    ].flatMap(\.self)
}
