extension Catalogue {
    static let idToken: [Attack] = []
}
