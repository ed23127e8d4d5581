extension Catalogue {
    static let provider: [Attack] = []
}
