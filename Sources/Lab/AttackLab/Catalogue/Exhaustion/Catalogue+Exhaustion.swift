extension Catalogue {
    /// Too much of everything.
    static let exhaustion: [Attack] = [rates, evasions, slowProviders, parsers, soaks].flatMap(\.self)
}
