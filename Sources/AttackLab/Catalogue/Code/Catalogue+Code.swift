extension Catalogue {
    static let code: [Attack] = []
}
