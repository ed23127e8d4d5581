extension Catalogue {
    /// Key material, secrets and configuration.
    static let keys: [Attack] = [
        serviceAccounts, hiddenPaths, dumps, environments, placeholders, developmentSwitches, wrongAudiences,
        SealKeyAttacks.all,
    ].flatMap(\.self)
}
