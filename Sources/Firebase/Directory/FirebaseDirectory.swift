package import JOSE
internal import OAuth
package import Stores

/// The directory whose users and links live in Identity Toolkit, shared with native, password and every other sign-in.
///
/// Identity Toolkit is right about who exists, who is disabled and which identity is whose. It makes no two of our
/// processes wait for one another, and it moves an identity from one user to another without a word. So each change is
/// written down in a local directory first, whose unique rows let one through: a *pending* row says which account an
/// identity is about to be linked to. The identity's own row follows when Identity Toolkit has the link. Local rows
/// that say otherwise than Identity Toolkit are thrown away.
///
/// | what happens | what is there | what comes of it |
/// | --- | --- | --- |
/// | crash after a new uid was reserved | pending row, no user | the next sign-in makes the user under this uid |
/// | crash after the user was made | pending row, bare user | the next sign-in links |
/// | crash after the link was made | pending row, link | the next sign-in writes the row |
/// | crash after the row was written | both rows, link | the pending row counts no more, and goes when its link does |
/// | link removed natively | row, no link | the row goes; the next sign-in makes a new account |
/// | the same, and linked to another user | row, other's link | the other user's sign-in; the row moves |
/// | two first sign-ins of one identity | one pending row | both go on with one uid; what is done twice does no harm |
/// | uid of a new account taken natively meanwhile | pending row, stranger's user | let go; the next candidate |
/// | first sign-in and linking at once | one pending row | the second sees that the identity is taken |
/// | two accounts link one identity | one pending row | the second sees that the identity is taken |
/// | two unlink the last two ways in | a user without any | each looks again afterwards, and puts its own back |
/// | crash after unlinking there | row, no link | as if removed natively |
/// | crash while a merge moves an identity | pending row of who stays | the next sign-in links it to who stays |
/// | crash between two of them | each at one account | merged again, or left; both are the same person's |
/// | crash after the emptied user was deleted | rows without user | its bearers are retired; its uid stays taken |
///
/// What cannot be shut out: Firebase's own sign-in giving an identity to somebody in the moment between our last look
/// and our link; and a crash between the last two steps of two unlinkings at once. A user who is missing there is never
/// retired here only for that, so that a wrong project or tenant in the configuration burns no uids.
package struct FirebaseDirectory: AccountDirectory {
    /// How often another caller may be quicker before the call gives up.
    static let rounds = 4

    private(set) var users: IdentityToolkit
    let local: any AccountDirectory & AccountAdministration
    let providers: Set<ProviderID>
    let syncsProfile: Bool

    /// - `providers`: the ids of all providers whose identities are ours to link and unlink. Any other that a user has
    ///   counts as another way in.
    /// - `syncsProfile`: whether a sign-in writes name, picture and verified address to the user.
    package init(
        users: IdentityToolkit, local: any AccountDirectory & AccountAdministration, providers: [String],
        syncsProfile: Bool
    ) {
        self.users = users
        self.local = local
        self.providers = Set(providers.map { ProviderID($0) })
        self.syncsProfile = syncsProfile
    }

    /// Whether this value is one call's, with one deadline over all questions of it.
    var isOneCall: Bool { users.endpoint.deadline != nil }

    /// The same directory for one call.
    ///
    /// Every method of the protocol begins here, so that no caller waits for many questions of many seconds each.
    var oneCall: FirebaseDirectory {
        var call = self
        call.users = users.until(users.endpoint.time.now() + users.endpoint.retries.operationBudget)
        return call
    }

    /// Makes it only here: the Firebase user comes into being when the custom token is traded in.
    package func makeAnonymous(
        candidates: [String], deleteAfter: NumericDate?, at now: NumericDate
    ) async throws(StoreError) -> String {
        try await local.makeAnonymous(candidates: candidates, deleteAfter: deleteAfter, at: now)
    }

    /// As Identity Toolkit knows it; links that were made or removed there are taken over.
    ///
    /// A user who is missing there is ``CallerLookup/retired``.
    package func account(of bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        guard isOneCall else { return try await oneCall.account(of: bearer, at: now) }
        guard let user = try await lookup(uids: [bearer.uid]).user(bearer.uid),
            let account = try await reconciled(user, bearer, at: now)
        else { return .retired }
        return .account(account)
    }

    package func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount? {
        guard isOneCall else { return try await oneCall.account(of: identity) }
        guard let user = try await lookup(identities: [identity]).holder(of: identity) else { return nil }
        return try await reconciled(user, at: users.endpoint.time.now())
    }

    /// Deletes the Firebase user first: a deletion that was reported must not leave one behind.
    package func retire(uid: String, at now: NumericDate) async throws(StoreError) -> Bool {
        guard isOneCall else { return try await oneCall.retire(uid: uid, at: now) }
        let existed: Bool
        do {
            existed = try await users.delete(uid)
        } catch {
            throw StoreError(error)
        }
        let wasHere: Bool
        do {
            wasHere = try await local.retire(uid: uid, at: now)
        } catch {
            throw existed ? .outcomeUnknown(.other) : error
        }
        return existed || wasHere
    }

    /// Takes an identity from a user whose uid was retired, so that it can go where it belongs.
    func free(_ identity: ExternalIdentity, from user: FirebaseUserRecord) async throws(StoreError) {
        do {
            try await users.unlink(provider: identity.provider, from: user.uid)
        } catch {
            throw StoreError(error)
        }
    }

    func lookup(
        uids: [String] = [], identities: [ExternalIdentity] = [], emails: [EmailAddress] = []
    ) async throws(StoreError) -> [FirebaseUserRecord] {
        do {
            return try await users.lookup(uids: uids, identities: identities, emails: emails)
        } catch {
            throw StoreError(ofLookup: error)
        }
    }
}

extension [FirebaseUserRecord] {
    func user(_ uid: String) -> FirebaseUserRecord? { first { $0.hasUID(uid) } }

    func holder(of identity: ExternalIdentity) -> FirebaseUserRecord? { first { $0.holds(identity) } }
}

extension StoreError {
    /// What an error of Identity Toolkit means to who asked the directory for a change.
    package init(_ error: IdentityToolkitError) {
        switch error {
        case .outcomeUnknown, .malformedAnswer:
            self = .outcomeUnknown(.directoryUnreachable)
        case .unreachable, .unavailable, .accessToken(.unreachable), .accessToken(.malformed):
            self = .unavailable(.directoryUnreachable)
        case .busy, .accessToken(.busy):
            self = .unavailable(.directoryBusy)
        case .accessToken, .unauthenticated, .permissionDenied, .notConfigured, .rejected, .invalidCustomToken,
            .credentialMismatch, .tenantMismatch:
            self = .unavailable(.directoryRefused)
        case .userNotFound, .userDisabled, .emailExists, .duplicateLocalID, .federatedIDTaken:
            // Somebody else changed the user while we looked: asked again, the directory sees it.
            self = .unavailable(.directoryBusy)
        }
    }

    /// The same, to who only looked: whatever came back, nothing was written.
    package init(ofLookup error: IdentityToolkitError) {
        self = error == .malformedAnswer ? .unavailable(.directoryUnreachable) : Self(error)
    }
}
