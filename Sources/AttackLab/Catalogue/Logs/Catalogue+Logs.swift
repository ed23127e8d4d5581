extension Catalogue {
    static let logs: [Attack] = []
}
