extension Catalogue {
    static let idToken: [Attack] = [
        ForgedHeaders.rows.flatMap(\.attacks),
        ForgedSignatures.rows.flatMap(\.attacks),
        ForgedKeyIDs.rows.flatMap(\.attacks),
        ForgedDocuments.rows.flatMap(\.attacks),
        SharedSecrets.attacks,
        PostedTexts.attacks,
        OtherTokens.attacks,
        Substitutions.attacks,
        Bindings.attacks,
        Replays.attacks,
        Respellings.attacks,
        ReplaysAtOnce.attacks,
        Identities.attacks,
        OpenIDConnectModules.attacks,
        OpenIDConnectCalls.attacks,
        FinancialGradeModules.attacks,
        ForgedClaims.rows.flatMap(\.attacks),
        ForgedTimes.rows.flatMap(\.attacks),
    ].flatMap(\.self)
}
