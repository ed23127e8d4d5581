extension Catalogue {
    static let logs: [Attack] = [LogAttacks.all, OracleAttacks.all, EventAttacks.all].flatMap(\.self)
}
