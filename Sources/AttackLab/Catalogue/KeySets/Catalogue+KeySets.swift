extension Catalogue {
    static let keySets: [Attack] = []
}
