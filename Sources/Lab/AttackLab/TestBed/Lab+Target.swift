internal import Jansson

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
