extension Catalogue {
    static let anonymous = AnonymousAttacks.all + AnonymousAccounts.all
}
