package import JOSE
package import Standards
package import Stores

extension FirestoreStore: AccountDirectory {
    package func signIn(
        _ arrival: IncomingIdentity, candidates: [UID], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        // Most users already have an account that needs no change.
        let known = try await read { session async throws(StoreError) in try await session.known(arrival.identity) }
        if let answer = known?.answer(to: arrival, at: now) { return answer }
        return try await transaction { session async throws(StoreError) -> Outcome<SignInDecision> in
            if let document = try await session.account(of: arrival.identity) {
                return try await session.refreshed(document, by: arrival, emails, at: now)
            }
            return try await session.made(arrival, candidates, emails, at: now)
        }
    }

    package func makeAnonymous(
        candidates: [UID], deleteAfter: NumericDate?, at now: NumericDate
    ) async throws(StoreError) -> UID {
        try await transaction { session async throws(StoreError) -> Outcome<UID> in
            for uid in candidates {
                let account = StoredAccount(uid: uid, anonymousUntil: deleteAfter, at: now)
                guard let document = try await session.insert(account) else { continue }
                session.write(document)
                return .keep(uid)
            }
            throw .noFreeUID
        }
    }

    package func account(of bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        if let known = try await account(uid: bearer.uid), known.outgrown(by: bearer) == nil {
            return .account(known)
        }
        return try await transaction { session async throws(StoreError) -> Outcome<CallerLookup> in
            if var document = try await session.account(uid: bearer.uid) {
                guard let outgrown = document.account.outgrown(by: bearer) else {
                    return .undo(.account(document.account))
                }
                document.account = outgrown
                session.write(document)
                return .keep(.account(outgrown))
            }
            var account = StoredAccount(adopting: bearer, at: now)
            account.email = nil
            guard var document = try await session.insert(account) else { return .undo(.retired) }
            if let email = bearer.email, try await session.holders(of: email, except: nil).isEmpty {
                try await session.setEmail(email, of: &document)
            }
            session.write(document)
            return .keep(.account(document.account))
        }
    }

    package func find(_ bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        let found = try await read { session async throws(StoreError) -> CallerLookup in
            try await session.prepare(
                AccountDocument.name(bearer.uid), DocumentName(.retired, of: bearer.uid.text))
            if let known = try await session.account(uid: bearer.uid) { return .account(known.account) }
            return try await session.isRetired(uid: bearer.uid)
                ? .retired : .unknown(StoredAccount(adopting: bearer, at: now))
        }
        guard case .account(let known) = found, known.outgrown(by: bearer) != nil else { return found }
        return try await account(of: bearer, at: now)
    }

    package func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount? {
        try await read { session async throws(StoreError) in try await session.account(of: identity)?.account }
    }

    package func retire(
        uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> RetireDecision {
        try await transaction { session async throws(StoreError) -> Outcome<RetireDecision> in
            try await session.prepare(AccountDocument.name(uid), DocumentName(.retired, of: uid.text))
            let document = try await session.account(uid: uid)
            if let refusal = try await session.refusal(of: expectation) { return .undo(.refused(refusal)) }
            if let document {
                try await session.remove(document)
            } else {
                try await session.removeFactors(of: FactorHolder(uid: uid))
            }
            try await session.retire(uid: uid, at: now)
            return .keep(.retired(existed: document != nil))
        }
    }

    package func refusal(of expectation: AccountExpectation) async throws(StoreError) -> AccountRefusal? {
        try await read { session async throws(StoreError) in try await session.refusal(of: expectation) }
    }

    package func link(
        _ arrival: IncomingIdentity, to uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        try await transaction { session async throws(StoreError) -> Outcome<LinkDecision> in
            try await session.prepare(AccountDocument.name(uid), arrival.identity.name)
            guard var document = try await session.account(uid: uid) else { return .undo(.unknownAccount) }
            guard !document.account.isDisabled else { return .undo(.refused(.disabled)) }
            if let refusal = try await session.refusal(of: expectation) { return .undo(.refused(refusal)) }
            let hasProvider = document.account.has(provider: arrival.identity.provider)
            if let holder = try await session.account(of: arrival.identity)?.account {
                return .undo(holder.uid == uid ? .linked(holder) : .identityTaken(by: holder))
            }
            guard !hasProvider else { return .undo(.providerTaken) }
            guard try await session.link(StoredIdentity(arrival, at: now), to: &document) else { throw .corrupt }
            if document.account.email == nil, let email = arrival.email,
                try await session.holders(of: email, except: uid).isEmpty
            {
                try await session.setEmail(email, of: &document)
            }
            document.account.makePermanent()
            session.write(document)
            return .keep(.linked(document.account))
        }
    }

    package func unlink(
        provider: ProviderID, from uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        try await transaction { session async throws(StoreError) -> Outcome<UnlinkDecision> in
            guard var document = try await session.account(uid: uid) else { return .undo(.unknownAccount) }
            if let refusal = try await session.refusal(of: expectation) { return .undo(.refused(refusal)) }
            if let refusal = document.account.refusalToUnlink(provider: provider) { return .undo(refusal) }
            let keepsEmail = document.account.keepsEmail(without: provider)
            for row in document.account.identities where row.identity.provider == provider {
                try await session.removeHolder(of: row.identity)
            }
            document.account.identities.removeAll { $0.identity.provider == provider }
            if !keepsEmail { try await session.setEmail(nil, of: &document) }
            session.write(document)
            return .keep(.unlinked(document.account))
        }
    }

    package func merge(
        _ uid: UID, into other: UID, expecting expectation: MergeExpectation?, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        guard uid != other else { return .unknownAccount }
        return try await transaction { session async throws(StoreError) -> Outcome<MergeDecision> in
            try await session.prepare(AccountDocument.name(uid), AccountDocument.name(other))
            guard let going = try await session.account(uid: uid), var staying = try await session.account(uid: other)
            else { return .undo(.unknownAccount) }
            if let refusal = going.account.refusalToMerge(into: staying.account) { return .undo(refusal) }
            if let refusal = try await session.refusal(of: expectation?.staying) { return .undo(.refused(refusal)) }
            if let refusal = try await session.refusal(of: expectation?.going) {
                return .undo(MergeDecision(ofGoing: refusal))
            }
            try await session.remove(going)
            for row in going.account.identities {
                staying.account.add(row)
                session.setHolder(of: row.identity, other)
            }
            if staying.account.email == nil, let email = going.account.email {
                try await session.setEmail(email, of: &staying)
            }
            try await session.retire(uid: uid, into: other, at: now)
            if !going.account.isAnonymous { staying.account.makePermanent() }
            session.write(staying)
            return .keep(.merged(staying.account))
        }
    }
}

extension FirestoreSession {
    /// Signs in a person whose identity is linked.
    fileprivate func refreshed(
        _ document: AccountDocument, by arrival: IncomingIdentity, _ emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> Outcome<SignInDecision> {
        guard let known = document.known(arrival.identity) else { throw .corrupt }
        if let answer = known.answer(to: arrival, at: now) { return .undo(answer) }
        var document = document
        let refreshed = known.refreshed(by: arrival, at: now)
        document.refresh(arrival.identity, refreshed)
        var holders: [UID] = []
        if let email = known.email(of: arrival) {
            if emails == .oneAccountEach { holders = try await self.holders(of: email, except: known.uid) }
            if holders.isEmpty { try await setEmail(email, of: &document) }
        }
        write(document)
        return .keep(refreshed.signedIn(emailHeldBy: holders))
    }

    /// Makes an account for an identity that is not linked.
    fileprivate func made(
        _ arrival: IncomingIdentity, _ candidates: [UID], _ emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> Outcome<SignInDecision> {
        let email = emails == .oneAccountEach ? arrival.email : nil
        var taken: [StoredAccount] = []
        if let email { taken = try await accounts(email: email, except: nil) }
        var made: AccountDocument?
        for uid in candidates {
            made = try await insert(StoredAccount(uid: uid, of: arrival, at: now))
            if made != nil { break }
        }
        guard taken.isEmpty else { return .undo(.emailTaken(by: taken)) }
        guard var document = made else { throw .noFreeUID }
        guard try await link(StoredIdentity(arrival, at: now), to: &document) else { throw .corrupt }
        if let email = document.account.email { try await setEmail(email, of: &document) }
        write(document)
        return .keep(.signedIn(uid: document.account.uid, isNew: true, hasFactor: false))
    }
}
