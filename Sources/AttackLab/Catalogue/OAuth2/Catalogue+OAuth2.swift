extension Catalogue {
    static let oauth2: [Attack] = []
}
