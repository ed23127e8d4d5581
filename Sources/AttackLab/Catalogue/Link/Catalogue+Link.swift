extension Catalogue {
    static let link: [Attack] = []
}
