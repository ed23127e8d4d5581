extension Catalogue {
    static let keySets: [Attack] = [
        KeyFloods.attacks,
        KeyRotations.attacks,
        KeyForms.attacks,
        KeyBombs.attacks,
        Metadata.attacks,
    ].flatMap(\.self)
}
