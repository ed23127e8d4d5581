extension Catalogue {
    static let minting: [Attack] = [ClaimAttacks.all, MintingAttacks.all, SubjectAttacks.all].flatMap(\.self)
}
