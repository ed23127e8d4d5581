internal import Accounts
internal import Firebase
internal import SecondFactors
internal import Standards
internal import Stores

/// A call that changes an account, or mints for it, with what its caller has to show.
enum AccountChange: CaseIterable {
    case link
    case unlink
    case reauthenticate
    case merge
    /// The second ID token of a merge, whose account is removed.
    case mergeAway
    case delete
    case addFactor
    case confirmFactor
    case removeFactor
    case signOut

    /// Whether the call mints a custom token, which would bypass a second factor of Firebase.
    var mints: Bool {
        switch self {
        case .link, .reauthenticate, .merge, .mergeAway: true
        case .unlink, .delete, .addFactor, .confirmFactor, .removeFactor, .signOut: false
        }
    }

    /// Whether the session must have begun recently.
    ///
    /// A reauthentication proves a login itself, and an old session may be ended.
    var needsRecentLogin: Bool {
        switch self {
        case .link, .unlink, .merge, .mergeAway, .delete, .addFactor, .confirmFactor, .removeFactor: true
        case .reauthenticate, .signOut: false
        }
    }

    /// Whether the session must have proven the second factor of this server, if the account has one.
    ///
    /// A factor is removed with a code of its own account. A merged account must have none.
    var needsFactor: Bool {
        switch self {
        case .link, .unlink, .reauthenticate, .merge, .delete, .addFactor, .confirmFactor: true
        case .mergeAway, .removeFactor, .signOut: false
        }
    }

    /// Whether the user may be deleted at Firebase already: a deletion that stopped halfway can be repeated, and a deleted
    /// user has no session left.
    var mayBeGone: Bool { self == .delete || self == .signOut }

    /// Whether the account becomes permanent, so that a user who is anonymous here must be so at Firebase too.
    var endsAnonymity: Bool { self == .link || self == .addFactor }
}

/// A caller whose session was checked for one change of their account.
struct AuthorizedCaller: Sendable {
    let caller: Caller
    let checked: CheckedCaller
    /// The record at Identity Toolkit; `nil` if it was not fetched or may not be.
    let record: FirebaseUserRecord?

    var expectation: AccountExpectation { checked.expectation }
}

extension Callers {
    /// Checks that a user may change their account.
    ///
    /// Every call that changes an account begins with it, so that it is the only place that asks whether a session was
    /// ended. It asks with one request to Identity Toolkit, whatever `check_revoked` says.
    ///
    /// - Throws: The refusal of the session, the account or the second factor, or `StoreError`.
    func authorize(
        _ user: FirebaseUser, client: ClientID?, to change: AccountChange
    ) async throws -> AuthorizedCaller {
        var caller = try await caller(user, client: client)
        // Before the request to Identity Toolkit, which an old session does not cause.
        try requireRecentLogin(user, to: change, as: caller)
        let record = try await authenticator.requireValid(user, mints: change.mints, mayBeGone: change.mayBeGone)
        if change.endsAnonymity {
            caller = try await identified(caller, record)
            try requireRecentLogin(user, to: change, as: caller)
        }
        if change.mints { try requireNoSecondFactor(user) }
        let checked = change.needsFactor ? try await requireFactor(of: caller) : secondFactors.unchecked(caller)
        return AuthorizedCaller(caller: caller, checked: checked, record: record)
    }

    /// Requires a recent login if a change needs one.
    ///
    /// The user of an anonymous account cannot sign in again, so that linking requires no recent login of them.
    func requireRecentLogin(
        _ user: FirebaseUser, to change: AccountChange, as caller: Caller
    ) throws {
        guard change.needsRecentLogin, !(change == .link && caller.account.isAnonymous) else { return }
        try requireRecentLogin(user)
    }

    /// Returns the caller by their record at Identity Toolkit, if the account is anonymous in the store.
    ///
    /// The person may have added a password or a provider at Firebase after the ID token was issued. Without this check,
    /// an attacker with an old ID token could link another person's identity to the account.
    ///
    /// - Parameters:
    ///   - caller: The caller, by the store.
    ///   - record: The user at Identity Toolkit; `nil` if it may not be called.
    /// - Returns: The caller, by Identity Toolkit.
    /// - Throws: The refusal of the account, or `StoreError`.
    private func identified(
        _ caller: Caller, _ record: FirebaseUserRecord?
    ) async throws -> Caller {
        // If Firebase is the directory, `caller(_:client:)` has already called Identity Toolkit.
        guard caller.account.isAnonymous, !rules.directoryIsFirebase, let record, record.hasIdentity
        else { return caller }
        return try await linker.caller(caller.user, describedBy: record)
    }
}
