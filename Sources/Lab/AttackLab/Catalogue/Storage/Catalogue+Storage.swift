extension Catalogue {
    /// One record, many who want it: races, two processes, locks that are held, writers that fail.
    static let storage: [Attack] = [races, processes, lockedStores, spellings].flatMap(\.self)
}
