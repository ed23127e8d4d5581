extension Catalogue {
    static let callback: [Attack] = []
}
