extension Catalogue {
    /// ID tokens as subject tokens of RFC 8693.
    static let tokenExchange: [Attack] =
        [subjectForgeries, subjectReplays, otherSubjects, exchangeParameters, exchangeClients, exchangeAnswers]
        .flatMap(\.self)
}
