internal import Foundation

/// One attack: what the attacker does, what a correct server does, and the code that sends the requests.
package struct Attack: Sendable, Identifiable {
    /// The id in the catalogue, such as `IDT-19`; a small letter at the end distinguishes variants.
    package let id: String
    package let stage: Stage
    package let severity: Severity
    /// The action of the attacker, as a sentence.
    package let sentence: String
    /// The response of a correct server, as a sentence.
    package let oracle: String
    /// The standard, advisory or paper that describes the attack.
    package let source: String
    package let needs: Set<Need>
    /// The mistakes that this attack finds: each of them makes it succeed, and no other mistake does.
    package let reveals: Set<Mistake>
    let run: @Sendable (AttackContext) async throws -> Void

    init(
        _ id: String, _ stage: Stage, _ severity: Severity, _ sentence: String, oracle: String, source: String,
        needs: Set<Need> = [.standIns], reveals: Set<Mistake> = [],
        run: @escaping @Sendable (AttackContext) async throws -> Void
    ) {
        self.id = id
        self.stage = stage
        self.severity = severity
        self.sentence = sentence
        self.oracle = oracle
        self.source = source
        self.needs = needs
        self.reveals = reveals
        self.run = run
    }
}

/// The stage of a sign-in that an attack concerns; the raw value is the section of the catalogue.
package enum Stage: String, CaseIterable, Sendable {
    case start, callback, code, idToken = "id-token", oauth1, oauth2, handoff
    case tokenExchange = "token-exchange", device, link
    case events, secondFactor = "second-factor", anonymous, minting, keys, keySets = "key-sets"
    case http, provider, storage, crash, exhaustion, logs

    package var title: String {
        switch self {
        case .start: "The browser flow begins"
        case .callback: "The provider returns"
        case .code: "Authorization codes"
        case .idToken: "ID tokens"
        case .oauth1: "OAuth 1.0a"
        case .oauth2: "OAuth 2.0"
        case .handoff: "Handoff codes"
        case .tokenExchange: "Token exchange (RFC 8693)"
        case .device: "Device grant (RFC 8628)"
        case .link: "Linking and unlinking"
        case .events: "Events of providers"
        case .secondFactor: "Second factors"
        case .anonymous: "Anonymous accounts"
        case .minting: "Custom tokens and claims"
        case .keys: "Keys and configuration"
        case .keySets: "Discovery and key sets"
        case .http: "HTTP from outside"
        case .provider: "HTTP to the provider"
        case .storage: "Races in storage"
        case .crash: "Restart, crash and clock"
        case .exhaustion: "Exhaustion"
        case .logs: "Logs and privacy"
        }
    }
}

/// The gain of the attacker if the attack succeeds.
package enum Severity: String, CaseIterable, Sendable, Comparable {
    /// Little, unless it is combined with another attack.
    case low
    /// A disturbance of one user, or information that helps further attacks.
    case medium
    /// A spent credential, a disclosed secret, or a server out of service.
    case high
    /// A sign-in as another user.
    case critical

    package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .low: 0
        case .medium: 1
        case .high: 2
        case .critical: 3
        }
    }
}

/// A requirement of an attack.
///
/// If a target does not meet it, the attack is not applicable there.
package enum Need: String, CaseIterable, Sendable {
    // What the attacker has.
    /// Stand-ins for the providers, their control listener, and the hostile host.
    case standIns = "stand-ins"
    /// A genuine ID token for the server, with its nonce verifier.
    case idToken = "id-token"
    /// An ID token that the provider issued to another application.
    case foreignIDToken = "foreign-id-token"
    /// An access token of the provider.
    case accessToken = "access-token"
    /// The seal key of the server, and no other secret of it.
    case sealKey = "seal-key"
    /// Servers can be started with other configurations, stopped and killed.
    case processes
    /// The attacked server can be killed and restarted.
    case restart
    /// A server can be started with another system time.
    case clock
    /// The server's log can be read.
    case logs
    /// The admin listener is reachable.
    case admin
    /// More than a hundred requests may be sent, or many concurrently.
    case bulk
    /// Requests may come from many addresses.
    case addresses
    // What the server offers.
    /// An origin from which the application's pages may ask.
    case origin
    /// The store is a database server that several processes share: PostgreSQL or Firestore.
    case databaseServer = "database-server"
    case browserFlow = "browser-flow"
    case pushedRequests = "pushed-requests"
    /// `POST /v1/signin`.
    case sessions
    case deviceGrant = "device-grant"
    case tokenExchange = "token-exchange"
    case accounts
    case anonymous
    case oauth1
    /// `github.com`, `discord` and `spotify` are configured, which have OAuth 2.0 without OpenID Connect.
    case plainOAuth2 = "plain-oauth2"
    /// A generic OpenID Connect provider is configured, found by discovery.
    case discovery
    /// The server accepts logout tokens and security event tokens of `op.example`, which is found by discovery.
    case providerEvents = "provider-events"
    // How long it takes.
    /// The attack waits several seconds for a deadline of the server.
    case patience
}

extension Attack {
    /// Whether lists and reports show this attack first: by stage, then by id, with `EX-2` before `EX-10`.
    package func stands(before other: Attack) -> Bool {
        guard stage == other.stage else { return stage.place < other.stage.place }
        return id.compare(other.id, options: .numeric) == .orderedAscending
    }
}

extension Stage {
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
