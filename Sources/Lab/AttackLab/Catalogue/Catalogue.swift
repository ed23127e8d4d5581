/// All attacks, in the order of the stages.
package enum Catalogue {
    package static let all: [Attack] = [
        start,
        callback,
        code,
        idToken,
        oauth1,
        oauth2,
        handoff,
        tokenExchange,
        device,
        link,
        events,
        secondFactor,
        anonymous,
        minting,
        keys,
        keySets,
        http,
        provider,
        storage,
        crash,
        exhaustion,
        logs, blackBox,
    ].flatMap(\.self)

    /// Returns the attacks that do not wait for deadlines, and only the first of several variants.
    ///
    /// At each ``TokenDoor`` it is the first.
    package static func quick(_ attacks: [Attack]) -> [Attack] {
        var seen: Set<String> = []
        return attacks.filter { attack in
            !attack.needs.contains(.patience) && seen.insert(stem(of: attack.id)).inserted
        }
    }

    /// Returns an id without the small letter of a variant.
    private static func stem(of id: String) -> String {
        let door = TokenDoor.allCases.map { "-" + $0.rawValue }.first { id.hasSuffix($0) } ?? ""
        let row = id.dropLast(door.count)
        guard let last = row.last, last.isLowercase, row.dropLast().last?.isNumber ?? false else { return id }
        return row.dropLast() + door
    }

    /// Returns the attacks with these ids.
    ///
    /// An id without its small letter, or a prefix such as `IDT-`, selects all that begin with it.
    package static func attacks(named names: [String]) -> [Attack] {
        all.filter { attack in
            names.contains { name in
                attack.id == name
                    || attack.id.hasPrefix(name)
                        && !(attack.id.dropFirst(name.count).first?.isNumber ?? false
                            && name.last?.isNumber ?? false)
            }
        }
    }
}

// MARK: - Stages

extension Catalogue {
    static let start: [Attack] = [
        redirectURITricks, redirectURIs, loopbackRedirectURIs, authorizationRequests, proofKeysAtStart, overrides,
        startedFlows, flowCookies, signInPages, pushedRequests, pushedRequestReplays, sessions, sessionReplays,
        sessionBindings, sessionBeginnings, LookAlikes.all,
    ].flatMap(\.self)

    static let callback: [Attack] = [
        statesAtCallback, changedStates, callbackReplays, providerErrors, malformedCallbacks, callbackPages, mixUps,
        injectedCodes, linkingCallbacks,
    ].flatMap(\.self)

    /// Authorization codes that an application posts itself.
    static let code: [Attack] = [codeReplays, codeBindings, codeForms, codeSmuggling, codeAnswers].flatMap(\.self)

    /// ID tokens; those of ``ForgedTokens`` are also of the stages of the other endpoints that take ID tokens.
    static let idToken: [Attack] = [
        ForgedTokens.attacks,
        SharedSecrets.attacks,
        PostedTexts.attacks,
        OtherTokens.attacks,
        Substitutions.attacks,
        Bindings.attacks, Relaxations.attacks,
        Replays.attacks,
        Respellings.attacks,
        ReplaysAtOnce.attacks,
        Identities.attacks,
        OpenIDConnectModules.attacks,
        OpenIDConnectCalls.attacks,
        FinancialGradeModules.attacks,
    ].flatMap(\.self)

    /// Token credentials of OAuth 1.0a, and the three-legged flow.
    static let oauth1: [Attack] =
        [pairAudience, pairReplays, pairForms, pairAnswers, oauth1Sessions, oauth1Browser, oauth1Answers]
        .flatMap(\.self)

    /// Codes of X and of other providers without OpenID Connect, and the responses of their endpoints.
    static let oauth2: [Attack] = [
        xCredentials, xFlows, xIdentities, xAnswers, xRefusals, plainOAuth2Credentials, plainOAuth2Answers,
        plainOAuth2Flows,
    ].flatMap(\.self)

    static let handoff: [Attack] = [
        handoffReplays, handoffTimes, handoffBindings, handoffVerifiers, madeUpHandoffs, otherSecretsAsHandoffs,
        handoffRequests, handoffAccounts,
    ].flatMap(\.self)

    /// ID tokens as subject tokens of RFC 8693.
    static let tokenExchange: [Attack] =
        [subjectReplays, otherSubjects, exchangeParameters, exchangeClients, exchangeAnswers]
        .flatMap(\.self)

    static let events: [Attack] = [LogoutAttacks.all, SecurityEventAttacks.all].flatMap(\.self)

    static let device: [Attack] = [
        DevicePolls.all,
        ForeignDeviceCodes.all,
        DeviceGuesses.all,
        DeviceBrowsers.all,
        DevicePages.all,
        DeviceAccounts.all,
        DeviceRefusals.all,
    ].flatMap(\.self)

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
        ConflictPages.all,
        ProviderTokenAttacks.all,
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

    /// Sign-ins and calls of accounts that have a second factor.
    static let secondFactor: [Attack] = [
        FactorChallenges.all, FactorCodes.all, FactorGuesses.all, FactorPages.all, FactorSessions.all,
        FactorChanges.all,
    ].flatMap(\.self)

    static let anonymous = AnonymousAttacks.all + AnonymousAccounts.all

    static let minting: [Attack] = [ClaimAttacks.all, MintingAttacks.all, SubjectAttacks.all, HookAttacks.all].flatMap(
        \.self)

    /// Key material, secrets and configuration.
    static let keys: [Attack] = [
        serviceAccounts, hiddenPaths, dumps, environments, placeholders, developmentSwitches, wrongAudiences,
        SealKeyAttacks.all,
    ].flatMap(\.self)

    static let keySets: [Attack] = [
        KeyFloods.attacks,
        KeyRotations.attacks,
        KeyForms.attacks,
        KeyBombs.attacks,
        Metadata.attacks,
    ].flatMap(\.self)

    /// Attacks on the parsing of requests.
    static let http: [Attack] = [
        slowSenders, largeBodies, largeHeaders, methods, otherAddresses, paths, forms, json, garbage, mediaTypes,
        origins, connections, framing, hosts, notHTTP, fields, echoes, adminPaths,
    ].flatMap(\.self)

    /// Attacks by the responses of a provider, or of an attacker between it and the server.
    static let provider: [Attack] =
        [
            providerRedirects, providerAddresses, providerBytes, providerGarbage, tokenGarbage, providerCrowds,
            providerRetries, providerEnvironment,
        ].flatMap(\.self)

    /// Concurrent use of one record: races, two processes, locks that are held, and look-alike spellings.
    static let storage: [Attack] = [races, processes, lockedStores, spellings].flatMap(\.self)

    /// Kills, restarts, changed clocks, full disks and damaged databases.
    static let crash: [Attack] = [kills, killsInBetween, times, UnwatchedTimes.all, fullDisks, spoiltDatabases, starts]
        .flatMap(\.self)

    /// Request floods, slow providers, and inputs that are expensive to parse.
    static let exhaustion: [Attack] = [rates, evasions, slowProviders, parsers, soaks].flatMap(\.self)

    static let logs: [Attack] = [LogAttacks.all, OracleAttacks.all, EventAttacks.all].flatMap(\.self)
}
