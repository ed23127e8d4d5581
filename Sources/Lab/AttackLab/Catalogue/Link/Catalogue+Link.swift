extension Catalogue {
    static let link: [Attack] = [
        BearerFieldAttacks.all,
        BearerAttacks.all,
        SessionAttacks.all,
        LinkingAttacks.all,
        LinkingRaces.all,
        UnlinkingAttacks.all,
        IntentAttacks.all,
        IntentHandoffs.all,
        EmailAttacks.all,
        ConflictAttacks.all,
        MergeAttacks.all,
        MergeRaces.all,
        TakeoverAttacks.all,
        ReauthenticationAttacks.all,
        IntentPages.all,
        MovedIdentities.all,
        FreshLogins.all,
        PassingTroubles.all,
        EndedUsers.all,
    ].flatMap(\.self)
}
