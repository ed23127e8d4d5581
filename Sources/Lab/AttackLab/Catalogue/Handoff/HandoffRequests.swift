internal import Jansson

extension Catalogue {
    static let handoffRequests = Section(.handoff, .high, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "HO-10", "A handoff code is redeemed by GET, as JSON, or as multipart.",
            oracle: "The server responds with 405 and 415; the code can still be redeemed.",
            source: "RFC 6749 3.2; CSRF via simple requests"
        ) { context in
            let (code, flow) = try await context.handoff()
            let good = context.redeem(code, flow)
            let query = String(decoding: good.body, as: UTF8.self)
            for method in ["GET", "PUT", "DELETE", "PATCH"] {
                await context.fire(Request(method, "/token?\(query)"), expecting: .status(405))
            }
            for type in ["application/json", "text/plain", "multipart/form-data; boundary=x", "", "application/xml"] {
                var request = good
                request.fields = [("Content-Type", type)]
                await context.fire(request, expecting: .status(415))
            }
            var request = good
            request.fields = []
            await context.fire(request, expecting: .status(415))
            try await context.mustStillWork(good)
        },
        .attack(
            "HO-10a", "A web page of another origin redeems a handoff code.",
            oracle:
                """
                The server responds with origin_not_allowed and without Access-Control-Allow-Origin; the code \
                stays usable.
                """,
            source: "RFC 9700 2.6", reveals: [.anyOrigin]
        ) { context in
            let (code, flow) = try await context.handoff()
            let origins = [
                "https://evil.example", "null", "https://app.example.evil.example", "http://app.example",
                "https://app.example:8443", "https://APP.example",
            ]
            for origin in origins {
                let reply = await context.fire(
                    context.redeem(code, flow).with("Origin", origin),
                    expecting: .refused("origin_not_allowed", error: "access_denied"))
                await context.expect(
                    reply.answer?.field("access-control-allow-origin") == nil, .unprotected,
                    "A foreign origin can read the response.")
            }
            let answer = try await context.mustStillWork(
                context.redeem(code, flow).with("Origin", context.lab.application.origin))
            await context.expect(
                answer?.field("access-control-allow-credentials") == nil, .unprotected,
                "The response allows credentials.")
        },
        .attack(
            "HO-15", "A successful response is searched for header fields that are missing or must not be there.",
            severity: .medium,
            oracle: "The response is JSON with no-store and nosniff, and has no cookie and no redirect.",
            source: "RFC 6749 5.1", reveals: [.bareHeaders]
        ) { context in
            let application = context.lab.application
            let (code, flow) = try await context.handoff(
                clientID: application.otherClientID, redirectURI: application.otherRedirectURI)
            let answer = try await context.honest(context.redeem(code, flow))
            let conditions: [(String, Bool)] = [
                ("no-store is missing", answer.field("cache-control")?.contains("no-store") == true),
                ("Pragma is missing", answer.field("pragma") == "no-cache"),
                ("nosniff is missing", answer.field("x-content-type-options") == "nosniff"),
                ("it is not JSON", answer.field("content-type")?.hasPrefix("application/json") == true),
                ("a cookie is set", answer.field("set-cookie") == nil),
                ("it has a Location field", answer.field("location") == nil),
            ]
            for (name, condition) in conditions {
                await context.expect(condition, .unprotected, "A flaw of the response: \(name).")
            }
        },
        .attack(
            "HO-15a", "The response to a client that gets no provider tokens is searched for them.",
            oracle: "The response contains no access token, ID token or refresh token of the provider.",
            source: "RFC 6749 5.1; least privilege"
        ) { context in
            let application = context.lab.application
            for provider in ["yahoo.com", "twitter.com"] {
                let (code, flow) = try await context.handoff(
                    clientID: application.otherClientID, redirectURI: application.otherRedirectURI, provider: provider)
                let answer = try await context.honest(context.redeem(code, flow))
                for name in ["oauth", "id_token", "refresh_token", "oauth_token_secret"] {
                    await context.expect(answer.json?[name] == nil, .leaked, "The response contains \(name).")
                }
                await context.expect(
                    answer.text.components("eyJ").count <= 4, .leaked, "The response contains more than one token.")
            }
        },
        .attack(
            "HO-21", "The redemption contains a uid, claims and a provider of the attacker's choice.",
            oracle: "The server ignores them: the uid is that of the verified subject.",
            source: "BH-EU-16; GHSA-pfj7-wv7c-22pr", reveals: [.uidFromBody]
        ) { context in
            let (code, flow) = try await context.handoff(user: "mallory")
            let answer = try await context.honest(
                context.redeem(code, flow) {
                    $0 += [
                        ("uid", "yahoo.com:VICTIM"), ("user_id", "VICTIM"), ("sub", "VICTIM"),
                        ("claims", "{\"admin\":true}"),
                        ("provider_uid", "VICTIM"), ("email", "alice@example.com"), ("scope", "admin"),
                    ]
                })
            let token = answer["access_token"] ?? ""
            let claims = String(
                decoding: Base64.urlDecode(token.components(".").dropFirst().first ?? "") ?? [], as: UTF8.self)
            await context.expect(
                answer["uid"]?.contains("VICTIM") == false && !claims.contains("VICTIM") && !claims.contains("admin")
                    && answer["provider_uid"] == "MALLORYJNWVNQD4GXZ5NGMZUS4", .minted,
                "The account or the custom token contains values from the request.")
        },
    )

    static let handoffAccounts = Section(.handoff, .high, needs: [.standIns, .browserFlow, .processes, .accounts])
        .attacks(
            .attack(
                "HO-16", "The user is disabled between callback and redemption.",
                oracle: "The server responds with user_disabled, with status 400 at /token.",
                source: "CVE-2026-58422; CVE-2026-88770"
            ) { context in
                var plan = context.lonePlan()
                plan.set("firebase/directory", "firebase")
                try await context.withServer(plan) { server in
                    let (first, before) = try await context.handoff(user: "kobayashi", at: server.wire)
                    let signedIn = try await context.honest(context.redeem(first, before), at: server.wire)
                    guard let uid = signedIn["uid"] else { throw Inconclusive("The first sign-in returned no uid.") }
                    let (code, flow) = try await context.handoff(user: "kobayashi", at: server.wire)
                    try await context.changeUser(uid, ["disabled": true])
                    await context.fire(
                        context.redeem(code, flow), expecting: .refused("user_disabled", error: "access_denied"),
                        at: server.wire)
                    let (again, other) = try await context.handoff(user: "kobayashi", at: server.wire)
                    await context.fire(
                        context.redeem(again, other), expecting: .refused("user_disabled", error: "access_denied"),
                        at: server.wire)
                    try await context.changeUser(uid, ["disabled": false])
                }
            },
            .attack(
                "HO-16a", "The identity is unlinked between callback and redemption.",
                oracle: "The redemption does not sign in to the account that the identity was removed from.",
                source: "CVE-2026-58422", needs: [.standIns, .browserFlow, .processes, .accounts, .sessions]
            ) { context in
                try await context.withServer(context.lonePlan()) { server in
                    let bearer = try await context.stranger("unlinking-user").bearer
                    let begun = try await context.session(
                        further: ["intent": "link"], bearer: bearer, at: server.wire)
                    let url = try await context.callbackURL(of: begun, as: "kobayashi", at: server.wire)
                    try await context.honest(context.link(bearer, begun.credential(url)), at: server.wire)
                    let (code, flow) = try await context.handoff(user: "kobayashi", at: server.wire)
                    try await context.honest(context.unlink(bearer, "yahoo.com"), at: server.wire)
                    let answer = try await context.honest(context.redeem(code, flow), at: server.wire)
                    await context.expect(
                        answer["uid"] != "unlinking-user", .minted,
                        "The unlinked identity still signs in to the account.")
                }
            },
        )
}
