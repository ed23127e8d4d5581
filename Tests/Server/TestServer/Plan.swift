import Flows
import OAuth
import Server
import Stores

/// What a server differs in from the ordinary one.
struct Plan: Sendable {
    /// Where the browser believes it is; the tests speak to a port of loopback.
    var issuer = "https://auth.example.com"
    var limits: ServerLimits = {
        var limits = ServerLimits()
        limits.exchangesPerAddress = nil
        limits.startsPerAddress = nil
        limits.pagesPerAddress = nil
        limits.anonymousPerAddress = nil
        return limits
    }()
    /// Of every call to a provider, keys and metadata included.
    var providerTimeout = Duration.seconds(20)
    /// Whether 127.0.0.1 is one of our own proxies.
    var trustsLoopback = false
    var random = RandomSource.system
    var returnsProviderTokens = false
    var rules = AccountRules()
    /// Shared, so that one person may come by two providers where a test is not about addresses.
    var emails = EmailRule.shared
    var google = GoogleUse.keys
    /// Whether Google's stand-in signs custom tokens, rather than the key of ``TestAccount``.
    var signsRemotely = false
    /// How long a signature may wait, as far as that can be foreseen.
    var signingPatience = Duration.seconds(5)
    /// Of `my-app`.
    var redeems = false
    /// Of `x-only`; nil for the deployment's.
    var tenantID: String?
    var audit = AuditTrail.none
    /// Returns when the delay between SIGTERM and the end of accepting is over.
    var drainDelay: @Sendable () async -> Void = {}
    /// What clients are asked to show.
    var appCheck = AppCheckRule.off
    /// Google's stand-in knows it by default.
    static let projectID = "sandbox"
    /// What `my-app` may ask of `POST /token`.
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

    /// - `use`: what Google is asked for.
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

    static func providerTimeout(_ timeout: Duration) -> Plan {
        var plan = Plan()
        plan.providerTimeout = timeout
        return plan
    }
}

/// What the server of a server asks Google for.
enum GoogleUse: Sendable {
    /// Its keys alone.
    case keys
    /// Whether sessions were ended, and Firebase's own tokens.
    case users
    /// All of that, and who people are: `firebase.directory: firebase`.
    case directory
}

/// Addresses as `serve` reads them, as far as a test writes any.
enum AddressText {
    /// Four octets, or sixteen; nil for what is no address.
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
