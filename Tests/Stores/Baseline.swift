import Fixtures
import JOSE
import Standards
import Stores

let now = NumericDate(1_700_000_000)
let later = now + .seconds(600)

extension SpentRecord {
    /// A record that is valid for 10 minutes.
    static func baseline(_ text: String, _ kind: SpentKind = .authorizationCode) -> SpentRecord {
        SpentRecord(kind, of: [Array(text.utf8)], issuedAt: nil, expiresAt: later)
    }
}

extension ExternalIdentity {
    static let baseline = ExternalIdentity(provider: "yahoo.com", subject: "SUBJECT")
}

extension IncomingIdentity {
    /// An identity without details, except its verified email address.
    static func baseline(
        _ subject: Subject = "SUBJECT", at provider: ProviderID = "yahoo.com", email: String? = nil
    ) -> IncomingIdentity {
        IncomingIdentity(
            identity: ExternalIdentity(provider: provider, subject: subject), details: IdentityDetails(),
            email: email.flatMap { EmailAddress($0) })
    }
}

extension AccountDirectory {
    /// Signs in, and returns the uid.
    ///
    /// Throws if the sign-in is refused.
    @discardableResult
    func enter(
        _ identity: ExternalIdentity = .baseline, as candidates: UID..., at moment: NumericDate = now
    ) async throws -> UID {
        let arrival = IncomingIdentity(identity: identity, details: IdentityDetails(), email: nil)
        let decision = try await signIn(arrival, candidates: candidates, emails: .oneAccountEach, at: moment)
        guard case .signedIn(let uid, _, _, _) = decision else { throw Unexpected() }
        return uid
    }

    /// Makes an account with the uid for an identity that has none.
    ///
    /// Throws if no account was made.
    func make(_ uid: UID, of arrival: IncomingIdentity) async throws {
        let decision = try await signIn(arrival, candidates: [uid], emails: .oneAccountEach, at: now)
        guard decision == .signedIn(uid: uid, isNew: true, hasFactor: false) else { throw Unexpected() }
    }
}

/// An operation that prepares a test has failed.
struct Unexpected: Error {}

extension Handoff {
    /// A handoff that is valid for 60 seconds.
    static func baseline(_ code: String = "code") -> Handoff {
        Handoff(
            record: .baseline(code, .handoff), client: "app", redirectURI: "https://app.example/cb",
            codeChallenge: "challenge", payload: "payload", expiresAt: now + .seconds(60))
    }
}

extension HandoffClaim {
    /// The claim that matches ``Handoff/baseline(_:)``, except for the arguments.
    static func baseline(
        _ code: String = "code", client: String = "app", redirectURI: String = "https://app.example/cb",
        codeChallenge: String = "challenge"
    ) -> HandoffClaim {
        HandoffClaim(
            record: .baseline(code, .handoff), client: client, redirectURI: redirectURI, codeChallenge: codeChallenge)
    }
}

extension HandoffOutcome {
    /// The outcome without its payload.
    var name: String {
        switch self {
        case .redeemed: "redeemed"
        case .unknown: "unknown"
        case .replayed: "replayed"
        case .expired: "expired"
        case .otherAddressee(nil): "otherAddressee"
        case .otherAddressee(let client?): "otherAddressee: it is kept for \(client)"
        case .otherRedirectURI(let uri): "otherRedirectURI: \(uri)"
        case .otherCodeChallenge: "otherCodeChallenge"
        }
    }
}

extension PendingCredential {
    /// The conflict of the account "provoker", which links the Yahoo identity of "holder".
    ///
    /// It is valid for 10 minutes.
    static func baseline(
        _ handle: String = "handle", uses: Set<Use> = Set(Use.allCases), uids: [UID] = ["provoker"],
        holder: UID? = "holder"
    ) -> PendingCredential {
        PendingCredential(
            record: .baseline(handle, .pendingCredential), client: "app", provider: "yahoo.com", uses: uses, uids: uids,
            holder: holder, payload: "payload", expiresAt: later)
    }
}

extension PendingCredentialClaim {
    /// The claim that matches ``PendingCredential/baseline(_:uses:uids:holder:)``, except for the arguments.
    static func claiming(
        _ handle: String = "handle", client: ClientID = "app", provider: ProviderID? = "yahoo.com",
        use: PendingCredential.Use = .link, accounts: Set<UID>? = ["provoker"]
    ) -> PendingCredentialClaim {
        PendingCredentialClaim(
            record: .baseline(handle, .pendingCredential), client: client, provider: provider, use: use,
            accounts: accounts)
    }
}

extension PendingCredentialOutcome {
    /// The outcome without its payload.
    var name: String {
        switch self {
        case .redeemed: "redeemed"
        case .unknown: "unknown"
        case .replayed: "replayed"
        case .expired: "expired"
        case .otherUse: "otherUse"
        }
    }
}

extension DeviceGrant {
    /// 32 bytes, the length of a SHA-256 digest.
    static func digest(_ code: String) -> [UInt8] { SpentRecord.baseline(code).digest }

    /// A grant that is valid for 10 minutes.
    static func baseline(_ userCode: String = "WDJBMJHT") -> DeviceGrant {
        DeviceGrant(
            userCodeDigest: digest(userCode), client: "tv", provider: "yahoo.com", scopes: ["mail-r", "sdct-w"],
            expiresAt: later)
    }
}

extension SpentRecord {
    static let device = SpentRecord.baseline("device", .deviceCode)
}

extension DevicePoll {
    /// The outcome without its payload.
    var name: String {
        switch self {
        case .redeemed(_, let payload): "redeemed " + payload
        case .pending: "pending"
        case .slowDown: "slowDown"
        case .denied: "denied"
        case .expired: "expired"
        case .replayed: "replayed"
        case .unknown: "unknown"
        }
    }
}

/// Runs an operation in `count` concurrent tasks, and returns the results in any order.
func all<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for index in 0..<count { group.addTask { try await body(index) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

extension AccountDirectory {
    /// Signs an identity with this subject in, which has this address.
    func signIn(
        _ subject: Subject, _ email: String? = "Someone@Example.com", emails: EmailRule = .oneAccountEach
    ) async throws(StoreError) -> SignInDecision {
        try await signIn(.baseline(subject, email: email), candidates: ["\(subject)"], emails: emails, at: now)
    }
}
