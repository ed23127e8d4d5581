extension Catalogue {
    static let callback: [Attack] = [
        statesAtCallback, changedStates, callbackReplays, providerErrors, malformedCallbacks, callbackPages, mixUps,
        injectedCodes, tokensBehindCodes, claimsBehindCodes, linkingCallbacks,
    ].flatMap(\.self)
}
