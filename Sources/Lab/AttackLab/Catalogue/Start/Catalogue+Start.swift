extension Catalogue {
    static let start: [Attack] = [
        redirectURITricks, redirectURIs, loopbackRedirectURIs, authorizationRequests, proofKeysAtStart, overrides,
        startedFlows, flowCookies, signInPages, pushedRequests, pushedRequestReplays, sessions, sessionReplays,
        sessionBindings, sessionBeginnings, LookAlikes.all,
    ].flatMap(\.self)
}
