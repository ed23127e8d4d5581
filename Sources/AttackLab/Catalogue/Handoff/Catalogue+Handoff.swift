extension Catalogue {
    static let handoff: [Attack] = []
}
