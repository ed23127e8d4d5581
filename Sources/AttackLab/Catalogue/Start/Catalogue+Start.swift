extension Catalogue {
    static let start: [Attack] = []
}
