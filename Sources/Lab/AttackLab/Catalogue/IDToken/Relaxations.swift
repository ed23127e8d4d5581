internal import Jansson

/// Attacks on settings that accept more than the strictest rule: each is tried beyond its limit.
enum Relaxations {
    static let attacks: [Attack] = [
        audience(
            "IDT-64a", "The token names only a trusted audience, and this deployment as `azp`.",
            "The server requires one of its own client ids in `aud`."
        ) { _ in ([project], nil) },
        audience(
            "IDT-64b", "The token names this deployment and a trusted audience, and a stranger as `azp`.",
            "The server requires one of its own client ids as `azp`."
        ) { ([$0, project], "another-client") },
        audience(
            "IDT-64c", "The token names this deployment and a trusted audience, and the trusted audience as `azp`.",
            "A trusted audience is not a client of this deployment."
        ) { ([$0, project], project) },
        audience(
            "IDT-64d", "The token names this deployment, a trusted audience and a stranger.",
            "The server requires that each further audience is trusted."
        ) { ([$0, project, "another-client"], nil) },
        Attack(
            "IDT-64e", .idToken, .critical,
            "The token names this deployment and a trusted audience, and has no `azp`.",
            oracle: "The server requires `azp` if there are several audiences.", source: "OIDC Core 3.1.3.7 (4)",
            needs: [.standIns, .processes]
        ) { context in
            let own = try await context.audience
            try await context.withKeyRoom(settings: ["trusted_audiences": [.string(project)]]) { room in
                try await room.fire(expecting: .refused("audience_mismatch")) {
                    $0.claims["aud"] = .array([.text(own), .text(project)])
                }
                let trusted = try await room.request {
                    $0.claims["aud"] = .array([.text(own), .text(project)])
                    $0.claims["azp"] = .text(own)
                }
                await context.expectAccepted(trusted, at: room.wire)
            }
        },
        tenant("IDT-65a", "whose tenant is not accepted", { $0 + "/other/v2.0" }, tid: "other"),
        tenant("IDT-65b", "whose issuer is that of another tenant than `tid`", { $0 + "/other/v2.0" }, tid: tenant),
        tenant("IDT-65c", "whose `tid` is missing", { $0 + "/" + tenant + "/v2.0" }, tid: nil),
        tenant("IDT-65d", "whose issuer is the pattern itself", { $0 + "/{tenantid}/v2.0" }, tid: tenant),
        tenant("IDT-65e", "whose `tid` is a path", { $0 + "/a/../" + tenant + "/v2.0" }, tid: "a/../" + tenant),
        Attack(
            "IDT-66a", .idToken, .critical,
            "A provider has `nonce: none`, and an ID token is posted later than its `max_age`.",
            oracle: "The server responds with too_old: without a nonce, only the age limits how long a thief has.",
            source: "OIDC Core 3.1.3.7 (10)", needs: [.standIns, .processes]
        ) { context in
            try await context.withKeyRoom(settings: withoutNonce) { room in
                await context.fire(
                    try await unbound(room) {
                        $0.claims["iat"] = .number(context.lab.now - 300)
                        $0.claims["exp"] = .number(context.lab.now + 3600)
                    }, expecting: .refused("too_old"), at: room.wire)
                await context.expectAccepted(try await unbound(room), at: room.wire)
            }
        },
        Attack(
            "IDT-66b", .idToken, .critical,
            "A provider has `nonce: none`, and an ID token is posted a second time.",
            oracle: "The server responds with replayed.", source: "RFC 8725 3.9", needs: [.standIns, .processes]
        ) { context in
            try await context.withKeyRoom(settings: withoutNonce) { room in
                let request = try await unbound(room)
                await context.expectAccepted(request, at: room.wire)
                await context.fire(request, expecting: .refused("replayed"), at: room.wire)
            }
        },
        Attack(
            "EX-37", .provider, .critical,
            "The userinfo endpoint responds with a JWT that the attacker signed, or that is for another client.",
            oracle: "The server uses nothing of it.", source: "OIDC Core 5.3.2", needs: [.standIns, .processes]
        ) { context in
            let own = try await context.audience
            let yahoo = try context.standIns.addresses.yahoo
            try await context.withKeyRoom { room in
                for (audience, key) in [(own, TokenDraft.Key.foreign), ("another-client", .provider)] {
                    var draft = try await context.draft(nonce: nil)
                    draft.claims["iss"] = .text(yahoo)
                    draft.claims["aud"] = .text(audience)
                    draft.claims["name"] = "Forged Name"
                    draft.key = key
                    try await room.fault(
                        ["body": .string(try await draft.token(by: context.standIns))], at: "yahoo.userinfo")
                    let code = try await context.yahooCode(provider: KeyRoom.provider(0))
                    let answer = await context.expectAccepted(context.exchange(code), at: room.wire)
                    await context.expect(
                        !(answer?.text.contains("Forged Name") ?? false), .wrongAnswer,
                        "The response contains a name of a JWT that does not verify.")
                }
            }
        },
    ]

    private static let project = "254300000000000001"
    private static let tenant = "tenant-1"
    private static let withoutNonce: [String: JSON] = ["nonce": "none", "max_age": "1m"]

    /// Returns a request with an ID token and without a nonce.
    private static func unbound(
        _ room: KeyRoom, change: @Sendable (inout TokenDraft) throws -> Void = { _ in }
    ) async throws -> Request {
        var draft = try await room.context.draft(nonce: nil)
        try change(&draft)
        let token = try await draft.token(by: room.context.standIns)
        return room.context.exchange(
            ["type": "id_token", "id_token": .string(token)], provider: KeyRoom.provider(0))
    }

    /// - `claims`: Returns the audiences and `azp` for the client id of this deployment; `azp` is that id if it is `nil`.
    private static func audience(
        _ id: String, _ what: String, _ oracle: String,
        _ claims: @escaping @Sendable (String) -> (audiences: [String], party: String?)
    ) -> Attack {
        Attack(
            id, .idToken, .critical, what, oracle: oracle, source: "OIDC Core 3.1.3.7 (3-5); zitadel #9200",
            needs: [.standIns, .processes]
        ) { context in
            let own = try await context.audience
            let (audiences, party) = claims(own)
            try await context.withKeyRoom(settings: ["trusted_audiences": [.string(project)]]) { room in
                try await room.fire(expecting: .refused("audience_mismatch")) {
                    $0.claims["aud"] = .array(audiences.map(Forged.text))
                    $0.claims["azp"] = .text(party ?? own)
                }
                try await room.expectAccepted()
            }
        }
    }

    private static func tenant(
        _ id: String, _ what: String, _ issuer: @escaping @Sendable (String) -> String, tid: String?
    ) -> Attack {
        Attack(
            id, .idToken, .critical, "A provider with `tenants` issued a token \(what).",
            oracle: "The server requires that `iss` is the pattern with an accepted `tid`.",
            source: "OIDC Core 3.1.3.7 (2)", needs: [.standIns, .processes]
        ) { context in
            let yahoo = try context.standIns.addresses.yahoo
            let settings: [String: JSON] = [
                "tenants": [.string(tenant)], "endpoints/issuer": .string(yahoo + "/{tenantid}/v2.0"),
            ]
            try await context.withKeyRoom(settings: settings) { room in
                try await room.fire(expecting: .refused("issuer_mismatch")) {
                    $0.claims["iss"] = .text(issuer(yahoo))
                    $0.claims["tid"] = tid.map { .text($0) }
                }
                let own = try await room.request {
                    $0.claims["iss"] = .text(yahoo + "/" + tenant + "/v2.0")
                    $0.claims["tid"] = .text(tenant)
                }
                await context.expectAccepted(own, at: room.wire)
            }
        }
    }
}
