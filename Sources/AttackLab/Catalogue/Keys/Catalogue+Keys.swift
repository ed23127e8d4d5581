extension Catalogue {
    static let keys: [Attack] = []
}
