extension Catalogue {
    /// Pairs of OAuth 1.0a, and the three-legged flow.
    static let oauth1: [Attack] =
        [pairAudience, pairReplays, pairForms, pairAnswers, oauth1Sessions, oauth1Browser, oauth1Answers]
        .flatMap(\.self)
}
