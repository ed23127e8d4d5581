import OAuth
import Server

/// What a street differs in from the ordinary one.
struct Plan: Sendable {
    /// Where the browser believes it is; the tests speak to a port of loopback.
    var issuer = "https://auth.example.com"
    var limits: ServerLimits = {
        var limits = ServerLimits()
        limits.exchangesPerAddress = nil
        limits.startsPerAddress = nil
        return limits
    }()
    /// Of every call to a provider, keys and metadata included.
    var providerTimeout = Duration.seconds(5)
    /// Whether 127.0.0.1 is one of our own proxies.
    var trustsLoopback = false
    var random = RandomSource.system
    var returnsProviderTokens = false
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

    static func providerTimeout(_ timeout: Duration) -> Plan {
        var plan = Plan()
        plan.providerTimeout = timeout
        return plan
    }
}
