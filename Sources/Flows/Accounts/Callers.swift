internal import Accounts
internal import Firebase
internal import SecondFactors
internal import Standards
internal import Stores

/// Users who call with a Firebase ID token, and their accounts.
struct Callers: Sendable {
    let registrations: Registrations
    let authenticator: FirebaseCallerAuthenticator
    let linker: AccountLinker
    let secondFactors: SecondFactors
    let rules: AccountRules
    /// The tenants whose users may call.
    ///
    /// The element `nil` means users outside any tenant.
    let tenants: [String?]

    /// Returns the user of a Firebase ID token.
    ///
    /// Endpoints call it before they read the body of a request.
    ///
    /// - Parameters:
    ///   - bearer: The ID token; `nil` if the request has none.
    ///   - isForChange: Whether the call begins with ``authorize(_:client:to:)``, which checks the session.
    /// - Throws: A refusal if the token does not speak for its user.
    func user(_ bearer: Secret?, isForChange: Bool) async throws -> FirebaseUser {
        try await authenticator.user(bearer, tenants: tenants, isForChange: isForChange)
    }

    /// Returns the account of a user.
    ///
    /// Every call about an account begins with it; one that changes the account calls ``authorize(_:client:to:)``.
    ///
    /// - Parameter clientID: The client of the request. If the request names none, the user must belong to the tenant
    ///   of the deployment.
    /// - Throws: A refusal if the user belongs to another tenant, or if the account was deleted.
    func caller(_ user: FirebaseUser, client clientID: ClientID?) async throws -> Caller {
        var tenantID = rules.tenantID
        if let clientID { tenantID = rules.tenantID(of: try registrations.client(clientID)) }
        guard user.tenantID.map({ Array($0.utf8) }) == tenantID.map({ Array($0.utf8) }) else {
            throw FirebaseTokenError.tenantMismatch(found: user.tenantID, expected: [tenantID])
        }
        do {
            return try await linker.caller(user)
        } catch {
            // Nothing is written until the account has been found.
            throw Refusal(error).unspent
        }
    }

    /// Returns the account that a flow is for, and its name on a page; `nil` for a flow that signs in.
    ///
    /// A flow to link begins only with what its end requires, so that no person visits the provider in vain. It does not ask
    /// Identity Toolkit about the session, which the end does.
    func intent(
        _ purpose: AccountIntent.Purpose?, of user: FirebaseUser?, client: RegisteredClient
    ) async throws -> (AccountIntent, account: AccountName)? {
        guard let purpose else { return nil }
        guard let user else {
            throw Refusal.bearerMissing
        }
        let caller = try await caller(user, client: client.id)
        if purpose == .link {
            try requireRecentLogin(user, to: .link, as: caller)
            try requireNoSecondFactor(user)
            _ = try await requireFactor(of: caller)
        }
        let account = caller.account
        return (AccountIntent(purpose, of: account.uid), AccountName(account))
    }

    /// Requires that the caller's session has proven the second factor of their account within the time of a recent
    /// login.
    ///
    /// - Throws: A refusal, or `StoreError`.
    func requireFactor(of caller: Caller) async throws -> CheckedCaller {
        try await secondFactors.check(caller, within: rules.recentLogin)
    }

    /// Refuses a user who signed in with a second factor of Firebase, because a linked identity would sign in without
    /// it.
    func requireNoSecondFactor(_ user: FirebaseUser) throws {
        guard !user.usedSecondFactor else { throw Refusal.firebaseFactorEnrolled }
    }

    func requireRecentLogin(_ user: FirebaseUser) throws {
        try authenticator.requireRecentLogin(user)
    }

    /// Removes the Firebase user of an account that is about to be deleted, unless the directory does so itself.
    ///
    /// - Parameter isMerged: Whether the account is merged into that of the caller.
    /// - Throws: `StoreError` if Firebase did not respond.
    func removedUser(of uid: UID, _ tenantID: String?, isMerged: Bool) async throws -> FirebaseUserRemoval {
        guard !rules.directoryIsFirebase else { return .deleted }
        let removal = try await authenticator.removeUser(uid, tenantID: tenantID)
        if let operation = removal.operation {
            var fact = AuditFact(operation)
            fact.mergedUID = isMerged ? uid : nil
            AuditJournal.record(fact)
        }
        return removal
    }
}

extension FirebaseUserRemoval {
    /// What was done at Firebase; `nil` if nothing.
    fileprivate var operation: AuditFact.Operation? {
        switch self {
        case .deleted: .deleteUser
        case .sessionsEnded: .signOut
        case .kept, .none: nil
        }
    }
}
