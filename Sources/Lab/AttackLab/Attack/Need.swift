/// What must be at hand for an attack to be tried; what a target lacks makes the attack not applicable there.
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
    /// The server under attack can be killed and started again.
    case restart
    /// A server can be started in another time.
    case clock
    /// The server's log can be read.
    case logs
    /// The admin listener is in reach.
    case admin
    /// More than a hundred requests, or many at once.
    case bulk
    /// Requests may come from many addresses.
    case addresses
    // What the server offers.
    /// An origin from which the application's pages may ask.
    case origin
    /// Its store is a PostgreSQL, which several processes share.
    case postgres
    case browserFlow = "browser-flow"
    case pushedRequests = "pushed-requests"
    /// `POST /v1/signin`.
    case sessions
    case deviceGrant = "device-grant"
    case tokenExchange = "token-exchange"
    case accounts
    case anonymous
    case oauth1
    /// A generic OpenID Connect provider is configured, found by discovery.
    case discovery
    // How long it takes.
    /// Waits for a deadline of the server: several seconds.
    case patience
}
