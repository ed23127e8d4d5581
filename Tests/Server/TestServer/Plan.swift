import Flows
import Minting
import Providers
import Server
import Standards
import Stores
import Transport

/// The configuration of a test server.
struct Plan: Sendable {
    /// The origin of the server for browsers; the tests connect to a port of loopback.
    var issuer = "https://auth.example.com"
    var limits: ServerLimits = {
        var limits = ServerLimits()
        limits.exchangesPerAddress = nil
        limits.startsPerAddress = nil
        limits.pagesPerAddress = nil
        limits.anonymousPerAddress = nil
        return limits
    }()
    var adminLimits = ServerLimits().ofAdminListener()
    /// The certificate of the public listener; `nil` for a listener without TLS.
    var certificate: ServerCertificate?
    /// Whether connections to the public listener begin with a header of the PROXY protocol.
    var proxyProtocol = false
    /// The timeout of every request to a provider, including keys and metadata.
    var providerTimeout = Duration.seconds(20)
    /// Whether 127.0.0.1 is a trusted proxy.
    var trustsLoopback = false
    /// Whether every peer is a trusted proxy.
    var trustsEveryPeer = false
    /// Whether a trusted proxy appends its own address after that of its client.
    var lastHopIsProxy = false
    /// Whether probes may call the public listener, as with `server.admin_listen` off.
    ///
    /// The admin listener runs in any case.
    var answersProbes = false
    var random = RandomSource.system
    /// How OpenID Providers return their response to the callback.
    var responseMode = ProviderResponseMode.query
    var returnsProviderTokens = false
    var returnsProviderProfile = false
    var rules = AccountRules()
    /// Shared, so that one user may sign in with two providers in tests that are not about email addresses.
    var emails = EmailRule.shared
    var google = GoogleUse.keys
    /// Whether Google's stand-in signs custom tokens, rather than the key of ``TestAccount``.
    var signsRemotely = false
    /// What signs custom tokens; `nil` for the key of ``TestAccount``, or Google.
    var signer: CustomTokenSigner?
    /// Whether `my-app` exchanges custom tokens for Firebase tokens.
    var returnsFirebaseSession = false
    /// The tenant of `x-only`; `nil` means that of the deployment.
    var tenantID: String?
    var audit = AuditTrail.none
    /// Returns when the delay between SIGTERM and the end of accepting is over.
    var drainDelay: @Sendable () async -> Void = {}
    /// The domains of addresses with which `my-app` admits users; `nil` for all.
    var allowedEmailDomains: Set<EmailDomain>?
    /// The hooks of the operator.
    var hooks: [HookPoint: Hook] = [:]
    /// The transport to the hooks; `nil` for the real one.
    var hookTransport: HTTPTransport?
    /// The App Check rule of all clients.
    var appCheck = AppCheckRule.off
    /// The default project of the stand-in of Google.
    static let projectID = "sandbox"
    /// The branding of `my-app` and of `living-room-tv`.
    var branding = Branding.none
    /// The ids of the registered clients; `nil` for all.
    var clients: [String]?
    /// The grants of `my-app`.
    var grants = Set(GrantType.allCases)

    static func limits(_ change: (inout ServerLimits) -> Void) -> Plan {
        var plan = Plan()
        change(&plan.limits)
        return plan
    }

    /// Nothing can be made up.
    static let withoutRandomness: Plan = {
        var plan = Plan()
        plan.random = RandomSource { _ throws(RandomFailure) in throw RandomFailure() }
        return plan
    }()

    static func grants(_ grants: Set<GrantType>) -> Plan {
        var plan = Plan()
        plan.grants = grants
        return plan
    }

    static func google(_ use: GoogleUse, _ change: (inout Plan) -> Void = { _ in }) -> Plan {
        var plan = Plan()
        plan.google = use
        plan.rules.directoryIsFirebase = use == .directory
        change(&plan)
        return plan
    }

    static func with(_ change: (inout Plan) -> Void) -> Plan {
        var plan = Plan()
        change(&plan)
        return plan
    }
}

/// The services of Google that a test server uses.
enum GoogleUse: Sendable {
    /// Only its public keys.
    case keys
    /// Also the state of sessions, and the exchange of custom tokens for Firebase tokens.
    case users
    /// Also the user directory: `firebase.directory: firebase`.
    case directory
}

/// Parses the addresses that occur in tests.
enum AddressText {
    /// Returns 4 or 16 octets; `nil` if the text is not an address.
    @Sendable static func octets(_ text: String) -> [UInt8]? {
        guard text.contains(":") else {
            let octets = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
            guard octets.count == 4, !octets.contains(nil) else { return nil }
            return octets.compactMap(\.self)
        }
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
            .map { $0.split(separator: ":").map { UInt16($0, radix: 16) } }
        let groups = halves.flatMap(\.self)
        guard halves.count <= 2, !groups.contains(nil), groups.count <= 8 else { return nil }
        let zeros = [UInt16?](repeating: 0, count: halves.count == 2 ? 8 - groups.count : 0)
        let all = (halves.first ?? []) + zeros + (halves.count == 2 ? halves[1] : [])
        guard all.count == 8 else { return nil }
        return all.compactMap(\.self).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
