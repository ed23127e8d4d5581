extension Catalogue {
    static let tokenExchange: [Attack] = []
}
