extension Catalogue {
    static let anonymous: [Attack] = []
}
