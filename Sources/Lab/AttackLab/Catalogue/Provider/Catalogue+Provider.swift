extension Catalogue {
    /// What a provider, or somebody on the way to it, answers.
    static let provider: [Attack] =
        [
            providerRedirects, providerAddresses, providerBytes, providerGarbage, tokenGarbage, providerCrowds,
            providerRetries, providerEnvironment,
        ].flatMap(\.self)
}
