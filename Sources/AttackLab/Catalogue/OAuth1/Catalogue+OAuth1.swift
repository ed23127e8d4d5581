extension Catalogue {
    static let oauth1: [Attack] = []
}
