extension Catalogue {
    /// Authorization codes that an application posts by itself.
    static let code: [Attack] = [codeReplays, codeBindings, codeForms, codeSmuggling, codeAnswers].flatMap(\.self)
}
