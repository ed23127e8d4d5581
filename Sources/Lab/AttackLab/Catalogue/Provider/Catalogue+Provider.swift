extension Catalogue {
    /// Attacks by the responses of a provider, or of an attacker between it and the server.
    static let provider: [Attack] =
        [
            providerRedirects, providerAddresses, providerBytes, providerGarbage, tokenGarbage, providerCrowds,
            providerRetries, providerEnvironment,
        ].flatMap(\.self)
}
