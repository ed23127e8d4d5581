extension Catalogue {
    static let storage: [Attack] = []
}
