import Firebase
import Fixtures
import JOSE
import SQLiteStores
import Standards
import Stores
import Synchronization
import Transport

/// A directory with its own Identity Toolkit and local store.
struct Scene {
    static let now = NumericDate(1_700_000_000)
    static let yahoo = ExternalIdentity(provider: "yahoo.com", subject: "ANN")
    static let yahoo2 = ExternalIdentity(provider: "yahoo.com", subject: "BOB")
    static let x = ExternalIdentity(provider: "twitter.com", subject: "123")

    let toolkit = Toolkit()
    let pauses = Pauses()
    let store: any AccountDirectory & AccountAdministration & EnrolledFactors
    let users: IdentityToolkit
    let directory: FirebaseDirectory

    init(syncsProfile: Bool = false, providers: Set<ProviderID> = ["yahoo.com", "twitter.com"]) throws {
        store = try SQLiteStore.inMemory()
        users = Self.users(toolkit, pauses)
        directory = FirebaseDirectory(
            users: users, local: store, providers: providers, syncsProfile: syncsProfile)
    }

    static func users(
        _ toolkit: Toolkit, _ pauses: Pauses = Pauses(), tenantID: String? = nil,
        tokens: AccessTokenSource = .fixed(Secret("owner"))
    ) -> IdentityToolkit {
        users(over: toolkit.transport, pauses, tenantID: tenantID, tokens: tokens)
    }

    static func users(
        over transport: HTTPTransport, _ pauses: Pauses = Pauses(), tenantID: String?,
        tokens: AccessTokenSource = .fixed(Secret("owner"))
    ) -> IdentityToolkit {
        let retries = IdentityToolkitRetryPolicy(RetryThrottle(), pause: { pauses.add($0) })
        return IdentityToolkit(
            IdentityToolkitEndpoint(
                origin: "https://toolkit.example", projectID: "project", tenantID: tenantID, tokens: tokens,
                transport: transport, time: TimeSource { now }, retries: retries))
    }

    func arrival(
        _ identity: ExternalIdentity = Scene.yahoo, email: String? = nil, name: String? = nil, picture: String? = nil
    ) -> IncomingIdentity {
        IncomingIdentity(
            identity: identity, details: IdentityDetails(email: email, name: name, picture: picture),
            email: email.flatMap { EmailAddress($0) })
    }

    @discardableResult
    func signIn(
        _ identity: ExternalIdentity = Scene.yahoo, email: String? = nil, candidates: [UID] = ["first", "second"],
        emails: EmailRule = .oneAccountEach
    ) async throws(StoreError) -> SignInDecision {
        try await directory.signIn(
            arrival(identity, email: email), candidates: candidates, emails: emails, at: Self.now)
    }

    func link(_ identity: ExternalIdentity, to uid: UID) async throws(StoreError) -> LinkDecision {
        try await directory.link(arrival(identity), to: uid, at: Self.now)
    }

    func unlink(_ provider: ProviderID, from uid: UID) async throws(StoreError) -> UnlinkDecision {
        try await directory.unlink(provider: provider, from: uid, at: Self.now)
    }

    func merge(_ uid: UID, into other: UID) async throws(StoreError) -> MergeDecision {
        try await directory.merge(uid, into: other, at: Self.now)
    }

    func account(_ uid: UID, isAnonymous: Bool = false) async throws(StoreError) -> StoredAccount? {
        let bearer = FirebaseCaller(uid: uid, isAnonymous: isAnonymous, email: nil)
        guard case .account(let account) = try await directory.account(of: bearer, at: Self.now) else { return nil }
        return account
    }

    /// Returns all rows of the local store that are not identities of a provider.
    func pendingRows() async throws(StoreError) -> [ExternalIdentity] {
        try await store.accounts(after: nil, atMost: 100).flatMap(\.identities).map(\.identity)
            .filter { $0.provider.text.hasPrefix("pending:") }
    }
}

/// Records the requested pauses without waiting.
final class Pauses: Sendable {
    private let pauses = Mutex<[Duration]>([])

    var all: [Duration] { pauses.withLock { $0 } }

    func add(_ pause: Duration) { pauses.withLock { $0.append(pause) } }
}

extension StoredAccount {
    /// The providers of the identities, in their order.
    var providers: [ProviderID] { identities.map(\.identity.provider) }
}
