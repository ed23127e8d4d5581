extension Catalogue {
    static let crash: [Attack] = []
}
