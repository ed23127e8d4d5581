extension Catalogue {
    static let exhaustion: [Attack] = []
}
