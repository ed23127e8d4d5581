extension Catalogue {
    static let minting: [Attack] = []
}
