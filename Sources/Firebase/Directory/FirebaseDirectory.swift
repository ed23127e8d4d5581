package import JOSE
package import Standards
package import Stores

/// The account directory that keeps users and links in Identity Toolkit, where sign-ins at Firebase itself find them.
///
/// Identity Toolkit decides which users exist, which are disabled, and which user has an identity. It offers no locks
/// between processes, and it moves an identity from one user to another without an error. Therefore each change is
/// first recorded in a local directory, whose unique rows let only one process continue: a *pending* row names the
/// account to which an identity is about to be linked. The identity's own row is written when Identity Toolkit has the
/// link. Local rows that contradict Identity Toolkit are deleted. In the table, *natively* means at Firebase itself,
/// without this server.
///
/// | event | state | consequence |
/// | --- | --- | --- |
/// | crash after a new uid was reserved | pending row, no user | the next sign-in creates the user with this uid |
/// | crash after the user was created | pending row, bare user | the next sign-in links |
/// | crash after the link was made | pending row, link | the next sign-in writes the row |
/// | crash after the row was written | both rows, link | the pending row has no effect, and is deleted when the identity is unlinked |
/// | link removed natively | row, no link | the row is deleted; the next sign-in creates a new account |
/// | the same, and linked to another user | row, link of the other user | sign-in as the other user; the row moves |
/// | two first sign-ins of one identity | one pending row | both continue with one uid; all steps are idempotent |
/// | uid of a new account taken natively | pending row, user of another person | the row is deleted; the next uid |
/// | first sign-in and linking at once | one pending row | the second sees that the identity is taken |
/// | two accounts link one identity | one pending row | the second sees that the identity is taken |
/// | two calls unlink the last two identities | a user without any | each looks again, and links its own again |
/// | crash after unlinking at Identity Toolkit | row, no link | as after a native removal |
/// | crash while a merge moves an identity | pending row of the remaining account | the next sign-in links it there |
/// | crash between two identities of a merge | each at one account | both are of one person; the merge may be repeated |
/// | crash after the emptied user was deleted | rows without user | its callers get `retired`; its uid stays taken |
///
/// Two cases are not handled. Firebase's own sign-in may link an identity to another user between the last lookup and the link
/// of this server, and a process may crash between the last two steps of two simultaneous unlink calls. A user who is
/// missing at Identity Toolkit is not retired here for that reason only: with a wrong project or tenant in the
/// configuration, all uids would be lost.
package struct FirebaseDirectory: AccountDirectory {
    /// The number of attempts of a call that loses races against other calls.
    static let rounds = 4

    private(set) var users: IdentityToolkit
    /// The rows of the tenant of ``users``.
    private(set) var local: TenantRows
    private let ownTenantID: String?
    let providers: Set<ProviderID>
    let syncsProfile: Bool

    /// Makes a directory that sends nothing before the first call.
    ///
    /// - Parameters:
    ///   - users: The client of Identity Toolkit, for the deployment's own tenant. Other tenants have directories of their
    ///     own, which ``of(tenantID:)`` returns.
    ///   - local: The local directory, which all tenants share.
    ///   - providers: The ids of all providers whose identities this server links and unlinks. Any other provider of a
    ///     user counts as another way to sign in.
    ///   - syncsProfile: Whether a sign-in writes name, picture and verified address to the user.
    package init(
        users: IdentityToolkit, local: any AccountDirectory & AccountAdministration, providers: Set<ProviderID>,
        syncsProfile: Bool
    ) {
        self.users = users
        self.local = TenantRows(local, of: TenantName(nil))
        ownTenantID = users.endpoint.tenantID
        self.providers = providers
        self.syncsProfile = syncsProfile
    }

    /// Returns the directory of the users of a tenant.
    ///
    /// Tenants share no users: all calls and all local rows of the result belong to that tenant.
    package func of(tenantID: String?) -> any AccountDirectory { directory(of: tenantID) }

    /// Returns the directory of the users of a tenant; `nil` means users outside any tenant.
    package func directory(of tenantID: String?) -> FirebaseDirectory {
        var directory = self
        directory.users = users.of(tenantID: tenantID)
        directory.local = local.of(TenantName(tenantID, besides: ownTenantID))
        return directory
    }

    /// Whether this value belongs to one call, with a deadline for all its requests.
    var isOneCall: Bool { users.endpoint.deadline != nil }

    /// A copy of this directory for one call, with a deadline.
    ///
    /// Every method of the protocol uses one, so that no caller waits for many requests of many seconds each.
    var oneCall: FirebaseDirectory {
        var call = self
        call.users = users.until(users.endpoint.time.now() + users.endpoint.retries.operationBudget)
        return call
    }

    /// Creates the account only in the local directory.
    ///
    /// Firebase creates the user when the application signs in with the custom token.
    package func makeAnonymous(
        candidates: [UID], deleteAfter: NumericDate?, at now: NumericDate
    ) async throws(StoreError) -> UID {
        try await local.makeAnonymous(candidates: candidates, deleteAfter: deleteAfter, at: now)
    }

    /// Returns the account as Identity Toolkit knows it, and updates the local rows of its links.
    ///
    /// A user who is missing there is ``CallerLookup/retired``.
    package func account(of caller: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        guard isOneCall else { return try await oneCall.account(of: caller, at: now) }
        guard let user = try await lookup(uids: [caller.uid]).user(caller.uid),
            let account = try await reconciled(user, caller, at: now)
        else { return .retired }
        return .account(account)
    }

    /// Returns the account as Identity Toolkit knows it.
    ///
    /// An account without local rows gets none.
    package func find(_ caller: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        guard isOneCall else { return try await oneCall.find(caller, at: now) }
        guard let user = try await lookup(uids: [caller.uid]).user(caller.uid) else { return .retired }
        // This description changes no row, if there is one.
        let bare = FirebaseCaller(uid: user.uid, isAnonymous: true, email: nil)
        if case .unknown = try await local.find(bare, at: now) {
            var account = described(user, nil)
            account.isAnonymous = caller.isAnonymous && !user.hasIdentity
            return .unknown(account)
        }
        return try await reconciled(user, caller, at: now).map(CallerLookup.account) ?? .retired
    }

    package func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount? {
        guard isOneCall else { return try await oneCall.account(of: identity) }
        guard let user = try await lookup(identities: [identity]).holder(of: identity) else { return nil }
        return try await reconciled(user, at: users.endpoint.time.now())
    }

    /// Deletes the Firebase user first, because a deletion that was reported must not leave a user behind.
    package func retire(
        uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> RetireDecision {
        guard isOneCall else { return try await oneCall.retire(uid: uid, expecting: expectation, at: now) }
        if let refusal = try await refusal(of: expectation) { return .refused(refusal) }
        let existed = try await wrapping({ StoreError($0) }, await users.delete(uid))
        let wasHere: Bool
        do {
            wasHere = try await local.retire(uid: uid, at: now)
        } catch {
            throw existed ? .outcomeUnknown(.other) : error
        }
        return .retired(existed: existed || wasHere)
    }

    package func refusal(of expectation: AccountExpectation) async throws(StoreError) -> AccountRefusal? {
        try await local.refusal(of: expectation)
    }

    /// Returns the reason why an account is not as expected, right before a call to Identity Toolkit changes it.
    func refusal(of expectation: AccountExpectation?) async throws(StoreError) -> AccountRefusal? {
        guard let expectation else { return nil }
        return try await local.refusal(of: expectation)
    }

    /// Unlinks an identity from a user whose uid was retired, so that it can be linked to another account.
    func free(_ identity: ExternalIdentity, from user: FirebaseUserRecord) async throws(StoreError) {
        try await wrapping({ StoreError($0) }, await users.unlink(provider: identity.provider, from: user.uid))
    }

    func lookup(
        uids: [UID] = [], identities: [ExternalIdentity] = [], emails: [EmailAddress] = []
    ) async throws(StoreError) -> [FirebaseUserRecord] {
        try await wrapping(
            StoreError.init(ofLookup:), await users.lookup(uids: uids, identities: identities, emails: emails))
    }
}

extension [FirebaseUserRecord] {
    func user(_ uid: UID) -> FirebaseUserRecord? { first { $0.uid == uid } }

    func holder(of identity: ExternalIdentity) -> FirebaseUserRecord? { first { $0.holds(identity) } }
}

extension StoreError {
    /// Creates the error of a call that changes the directory.
    package init(_ error: IdentityToolkitError) {
        switch error {
        case .outcomeUnknown, .malformedAnswer:
            self = .outcomeUnknown(.directoryUnreachable)
        case .unreachable, .unavailable, .accessToken(.unreachable), .accessToken(.malformed):
            self = .unavailable(.directoryUnreachable, cause: error.forOperator)
        case .busy, .accessToken(.busy):
            self = .unavailable(.directoryBusy, cause: error.forOperator)
        case .permissionDenied(.role):
            self = .unavailable(.directoryRefused)
        case .accessToken, .unauthenticated, .permissionDenied, .notConfigured, .rejected, .invalidCustomToken,
            .credentialMismatch, .apiKey, .tenantMismatch, .appCheckRequired, .blocked:
            self = .unavailable(.directoryRefused, cause: error.forOperator)
        case .userNotFound, .userDisabled, .emailExists, .duplicateLocalID, .federatedIDTaken:
            // Another call changed the user in the meantime. If the call is repeated, the directory sees the change.
            self = .unavailable(.directoryBusy)
        }
    }

    /// Creates the error of a call that only reads, so that nothing was written.
    package init(ofLookup error: IdentityToolkitError) {
        self =
            error == .malformedAnswer
            ? .unavailable(.directoryUnreachable, cause: error.forOperator) : Self(error)
    }
}

extension IdentityToolkitError {
    fileprivate var forOperator: String { [sentence, advice].compactMap(\.self).joined(separator: ". ") }
}
