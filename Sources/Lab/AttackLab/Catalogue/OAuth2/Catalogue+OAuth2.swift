extension Catalogue {
    /// Codes of X, and what its OAuth 2.0 endpoints answer.
    static let oauth2: [Attack] = [xCredentials, xFlows, xIdentities, xAnswers, xRefusals].flatMap(\.self)
}
