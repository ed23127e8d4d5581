extension Catalogue {
    static let device: [Attack] = []
}
