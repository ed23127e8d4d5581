internal import Jansson

extension Catalogue {
    static let pushedRequestReplays = Section(.start, .high, needs: [.standIns, .pushedRequests, .accounts]).attacks(
        .attack(
            "PAR-01", "A request_uri is used a second time.",
            oracle: "The first use starts a flow; the server responds to the second with a 400 page.",
            source: "RFC 9126 4, 7.3",
            needs: [.standIns, .pushedRequests]
        ) { strike in
            let request = strike.pulled(try await strike.push())
            try await strike.honest(request, status: 303)
            await strike.fire(request, expecting: .page())
            await strike.fire(request, expecting: .page())
        },
        .attack(
            "PAR-02", "A request_uri is used fifty times concurrently.", oracle: "The server starts exactly one flow.",
            source: "RFC 9126 7.3; CVE-2026-53518", needs: [.standIns, .pushedRequests, .bulk]
        ) { strike in
            let request = strike.pulled(try await strike.push())
            await strike.volley([Request](repeating: request, count: 50), losers: .page()) { $0.status == 303 }
        },
        .attack(
            "PAR-02a", "A request_uri is used fifty times concurrently at two servers.",
            oracle: "The server starts exactly one flow.",
            source: "RFC 9126 7.3; CVE-2026-53518", needs: [.standIns, .pushedRequests, .bulk, .processes]
        ) { strike in
            try await strike.withTwin { twin in
                let request = strike.pulled(try await strike.push())
                await strike.volley(
                    [Request](repeating: request, count: 50), losers: .page(), at: [strike.lab.server, twin.wire]
                ) { $0.status == 303 }
            }
        },
        .attack(
            "PAR-04", "A request_uri is used after its lifetime of ninety seconds.", severity: .medium,
            oracle: "The server responds with a 400 page; shortly before, the request_uri is valid.",
            source: "RFC 9126 2.2, 7.3",
            needs: [.standIns, .pushedRequests, .processes, .clock]
        ) { strike in
            try await strike.withServer(strike.lonePlan()) { server in
                let early = try await strike.push(at: server.wire)
                let late = try await strike.push(at: server.wire)
                try await strike.move(server, by: 75)
                try await strike.mustStillWork(strike.pulled(early), status: 303, at: server.wire)
                try await strike.move(server, by: 95)
                await strike.fire(strike.pulled(late), expecting: .page(), at: server.wire)
            }
        },
        .attack(
            "PAR-10", "A linking flow is pushed without a bearer token, or with a forged one.",
            severity: .critical, oracle: "The server responds with 401: id_token_missing or id_token_invalid.",
            source: "CVE-2015-9284; COSF"
        ) { strike in
            let (_, issued) = try await strike.genuine()
            let add: (inout [(String, String)]) -> Void = { $0.append(("intent", "link")) }
            await strike.fire(
                strike.pushing(add), expecting: .refused("id_token_missing", status: 401, error: "invalid_token"))
            for bearer in ["x", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.", issued["id_token"]?.string ?? ""] {
                await strike.fire(
                    strike.pushing(add, bearer: bearer),
                    expecting: .refused("id_token_invalid", "id_token_missing", status: 401, error: "invalid_token"))
            }
        },
        .attack(
            "PAR-10a", "The code of a linking flow is redeemed to sign in.", severity: .critical,
            oracle: "The server responds with intent_mismatch at /token; a sign-in code links nothing either.",
            source: "COSF; RFC 9700 4.5"
        ) { strike in
            let caller = try await strike.standIns.google(
                "POST", "/id-token", ["uid": "user-with-a-password", "create": true])
            guard let bearer = caller["id_token"]?.string else {
                throw Inconclusive("Google's stand-in returned no token.")
            }
            let pushed = try await strike.honest(
                strike.pushing({ $0.append(("intent", "link")) }, bearer: bearer), status: 201)
            let flow = try await strike.flow(behind: strike.pulled(pushed["request_uri"] ?? ""))
            let finished = try await strike.honest(
                await strike.callback(try await strike.approve(flow, as: "carol"), in: flow.browser), status: 303)
            await strike.fire(
                strike.redeem(finished.redirected("code") ?? "", flow), expecting: .refused("intent_mismatch"))
            let (code, own) = try await strike.handoff()
            let body: JSON = [
                "client_id": .string(own.clientID),
                "credential": [
                    "type": "handoff", "code": .string(code), "redirect_uri": .string(own.redirectURI),
                    "code_verifier": .string(own.codeVerifier),
                ],
            ]
            await strike.fire(.json("/v1/account/link", body, bearer: bearer), expecting: .refused("intent_mismatch"))
            try await strike.mustStillWork(strike.redeem(code, own))
        },
    )
}
