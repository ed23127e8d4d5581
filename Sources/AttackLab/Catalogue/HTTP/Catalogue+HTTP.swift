extension Catalogue {
    static let http: [Attack] = []
}
