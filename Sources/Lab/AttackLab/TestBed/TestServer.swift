internal import Jansson

/// A server that the test bed started.
package struct TestServer: Sendable {
    let name: String
    /// The path of the program.
    let executable: String
    let wire: Wire
    let admin: Wire
    let log: LogFile
    /// The arguments of the program.
    let arguments: [String]
    /// The listener and path that respond with 200 when the server can be used.
    let readiness: (wire: Wire, path: String)
}

/// The differences of a server of the test bed from the usual one.
struct ServerPlan: Sendable {
    /// The name of the server, which is part of file names.
    var name: String
    /// Members of the configuration by path, such as `limits.exchange_per_address`; `nil` removes a member.
    var changes: [(path: [String], value: JSON?)] = []
    /// Environment variables in addition to those of the test process.
    var environment: [String: String] = [:]
    /// The offset of the server's clock in seconds.
    var clockOffset: Int64 = 0
    /// Shell commands that run first, such as `ulimit -c unlimited`; the server inherits their settings.
    var prelude = ""
    /// Further arguments of `serve`.
    var flags: [String] = []
    /// Whether the start waits until the server is ready; otherwise it waits for any response.
    var waitsUntilReady = true
    /// Whether the server shares store and seal keys with the usual one.
    var sharesStore = false

    init(_ name: String) { self.name = name }

    mutating func set(_ path: String, _ value: JSON?) {
        changes.append((path.split(separator: "/").map(String.init), value))
    }
}

extension JSON {
    /// Returns the object with the member at `path` set, or removed by `nil`; missing objects are created.
    func setting(_ path: [String], to value: JSON?) -> JSON {
        guard let name = path.first else { return value ?? .null }
        var members = object ?? [:]
        if path.count == 1 {
            members[name] = value
        } else {
            members[name] = (members[name] ?? .object([:])).setting(Array(path.dropFirst()), to: value)
        }
        return .object(members)
    }
}

extension Lab {
    /// A foreign server: its features come from its own responses, and requests are sent at a measured pace.
    ///
    /// `base` is scheme, host and port. Without a `sealKey` nothing is tried that a thief of the key would try.
    package static func target(
        base: String, application: Application, pace: Pace, supplies: Supplies, sealKey: StolenSealKey?
    ) async -> Lab {
        let wire = Wire(base: base)
        var offers: Set<Need> = [.patience]
        if application.hasOrigin { offers.insert(.origin) }
        if sealKey != nil { offers.insert(.sealKey) }
        if supplies.idToken != nil { offers.insert(.idToken) }
        if supplies.foreignIDToken != nil { offers.insert(.foreignIDToken) }
        if supplies.accessToken != nil { offers.insert(.accessToken) }
        let metadata = await wire.send(.get("/.well-known/oauth-authorization-server")).answer?.json
        let grants = metadata?["grant_types_supported"]?.array?.compactMap(\.string) ?? []
        if metadata?["authorization_endpoint"]?.string != nil { offers.insert(.browserFlow) }
        if metadata?["pushed_authorization_request_endpoint"]?.string != nil { offers.insert(.pushedRequests) }
        if metadata?["device_authorization_endpoint"]?.string != nil { offers.insert(.deviceGrant) }
        if grants.contains("urn:ietf:params:oauth:grant-type:token-exchange") { offers.insert(.tokenExchange) }
        if await wire.send(.get("/v1/account")).answer?.status == 401 { offers.insert(.accounts) }
        return Lab(
            server: wire, admin: nil, offers: offers, application: application, standIns: nil, testBed: nil, log: nil,
            pace: pace, supplies: supplies, sealKey: sealKey)
    }
}
