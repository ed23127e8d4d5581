internal import Jansson

extension Catalogue {
    static let codeSmuggling: [Attack] = codeClaims + codeTransport

    /// Whose the identity is, said by the client: EX-11.
    private static let codeClaims: [Attack] = [
        ("a", "uid", "uid", [.uidFromBody]), ("b", "user_id", "user_id", []), ("c", "sub", "sub", []),
        ("d", "email", "email", []), ("e", "claims", "claims", []), ("f", "admin", "admin", []),
        ("g", "firebase", "firebase", []), ("h", "provider_user", "provider_user", []),
    ].map { (letter: String, name: String, member: String, reveals: Set<Mistake>) in
        Attack(
            "EX-11" + letter, .code, .critical,
            "The attacker posts a code of their own, and the victim's id as `\(name)`, beside it and around it.",
            oracle: "unknown_field; the uid comes from the verified subject alone; the code stays good.",
            source: "BH-EU-16; GHSA-pfj7-wv7c-22pr", reveals: reveals
        ) { strike in
            let own = try await strike.uid(ofPerson: "mallory")
            let code = try await strike.yahooCode(user: "mallory")
            let mark = try await strike.mark()
            let values: [JSON] = ["yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", ["admin": true], true]
            for value in values {
                await strike.fire(
                    strike.exchange(code, further: [member: value]), expecting: .malformed("unknown_field"))
                await strike.fire(strike.exchange(code.with(member, value)), expecting: .malformed("unknown_field"))
            }
            try await strike.expectCalls(["yahoo.token": 0], since: mark)
            let answer = try await strike.mustStillWork(strike.exchange(code))
            await strike.expect(
                answer?["uid"] == own, .minted, "The uid is not the attacker's own.")
        }
    }

    private static let codeTransport = Section(.code, .high).attacks(
        .attack(
            "EX-12", "The code holds `&client_id=` and further parameters for the provider.",
            oracle: "The provider sees one `code`, percent-encoded, and no parameter of the attacker's.",
            source: "curl libcurl-security"
        ) { strike in
            let mark = try await strike.mark()
            // A code that the server has seen already would be a replay.
            let own = try await strike.nonce().nonce.prefix(12)
            let texts: [String] = [
                "\(own)&client_id=evil&grant_type=refresh_token", "\(own)&grant_type=refresh_token",
                "\(own)%26client_id%3Devil",
                "\(own);client_id=evil", "\(own)#y", "\(own)+y z", "\(own)=y&code=z",
            ]
            for text in texts {
                let code = try await strike.yahooCode().with("code", .string(text))
                await strike.fire(strike.exchange(code), expecting: .refused("code_rejected"))
            }
            let seen = try await strike.standIns.requests(since: mark)
                .filter { $0["endpoint"]?.string == "yahoo.token" }
            await strike.expect(seen.count == texts.count, .sideEffect, "The provider was not asked once for each.")
            for request in seen {
                let names = request["body_parameters"]?.array?.compactMap(\.string).sorted() ?? []
                await strike.expect(
                    names == ["code", "grant_type", "redirect_uri"], .sideEffect,
                    "The provider was sent \(names.joined(separator: ", ")).")
            }
        },
        .attack(
            "EX-16", "The credential travels in the query, alone or beside a body.", severity: .medium,
            oracle: "400 malformed_body, and the query is in no log.", source: "RFC 9700 4.3.2"
        ) { strike in
            let code = try await strike.yahooCode()
            let canary = try await strike.canary()
            let request = strike.exchange(code)
            var queried = request
            queried.target += "?code=" + canary
            await strike.fire(queried, expecting: .malformed("malformed_body"))
            queried.body = []
            await strike.fire(queried, expecting: .malformed("malformed_body"))
            queried.target = "/v1/exchange?" + canary
            await strike.fire(queried, expecting: .malformed("malformed_body"))
            try await strike.mustStillWork(request)
        },
        .attack(
            "EX-17a", "Another method than POST is tried, with the credential in the body or without.",
            severity: .medium, oracle: "405 with Allow.", source: "RFC 9110 15.5.6"
        ) { strike in
            let request = strike.exchange(try await strike.yahooCode())
            for method in ["GET", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"] {
                var changed = request
                changed.method = method
                let reply = await strike.fire(
                    changed, expecting: Expectation(statuses: [405], errors: ["invalid_request"]))
                await strike.expect(
                    reply.answer?.field("allow")?.contains("POST") == true, .wrongAnswer, "405 came without Allow.")
            }
            try await strike.mustStillWork(request)
        },
        .attack(
            "EX-17b", "A form on another web site posts the credential by a type that browsers send without asking.",
            oracle: "415: only application/json is read.", source: "Fetch 2.2.2 (simple requests); PROF CSRF"
        ) { strike in
            let request = strike.exchange(try await strike.yahooCode())
            let types: [String?] = [
                nil, "text/plain", "text/plain;application/json", "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x", "application/json; charset=utf-16", "application/jsonp",
                "application/vnd.api+json", "text/json",
            ]
            for type in types {
                var changed = request
                changed.fields = type.map { [("Content-Type", $0)] } ?? []
                await strike.fire(
                    changed,
                    expecting: Expectation(
                        statuses: [415], errors: ["invalid_request"], reasons: ["unsupported_media_type"]))
            }
            try await strike.mustStillWork(request)
        },
        .attack(
            "EX-20", "The provider's error repeats our client secret, and holds markup.",
            oracle: "code_rejected in fixed words; neither answer nor log repeats anything.", source: "RFC 6819 4.6.7",
            reveals: []
        ) { strike in
            let canary = try await strike.canary()
            await strike.secret("sandbox-yahoo-secret-of-ours")
            let body: JSON = [
                "error": "invalid_grant",
                "error_description": .string("sandbox-yahoo-secret-of-ours <script>\(canary)</script>"),
                "error_uri": .string("https://\(canary).example/"),
            ]
            try await strike.standIns.fault([
                "target": "yahoo.token", "times": 1, "status": 400,
                "body": .string(String(decoding: body.serialized(), as: UTF8.self)),
            ])
            await strike.fire(
                strike.exchange(try await strike.yahooCode()), expecting: .refused("code_rejected"))
            try await strike.standIns.fault([
                "target": "yahoo.token", "times": 1, "status": 500, "body": .string("<script>\(canary)</script>"),
            ])
            await strike.fire(
                strike.exchange(try await strike.yahooCode()), expecting: .unusable("provider_error"))
        },
        .attack(
            "EX-22a", "Two kinds of evidence are posted in one credential.", severity: .critical,
            oracle: "invalid_request, unknown_field; nothing is verified, and both stay good.",
            source: "GHSA-pfj7-wv7c-22pr"
        ) { strike in
            let code = try await strike.yahooCode()
            let mark = try await strike.mark()
            let others: [(String, JSON)] = [
                ("id_token", "e30.e30.AA"), ("access_token", "a-token"), ("oauth_token", "1-a"),
                ("oauth_token_secret", "secret"), ("session", "a-session"), ("pending_credential", "pending"),
            ]
            for (name, value) in others {
                await strike.fire(strike.exchange(code.with(name, value)), expecting: .malformed("unknown_field"))
            }
            let (genuine, issued) = try await strike.genuine()
            let token = issued["id_token"] ?? .null
            await strike.fire(strike.exchange(code.with("id_token", token)), expecting: .malformed("unknown_field"))
            try await strike.expectCalls(["yahoo.token": 0], since: mark)
            try await strike.mustStillWork(strike.exchange(code))
            try await strike.mustStillWork(genuine)
        },
        .attack(
            "EX-22b", "The credential has two types, is a list, or is said twice.", severity: .critical,
            oracle: "invalid_request; the provider is not asked.", source: "GHSA-pfj7-wv7c-22pr; RFC 8259 4"
        ) { strike in
            let code = try await strike.yahooCode()
            let mark = try await strike.mark()
            let good = String(decoding: strike.exchange(code).body, as: UTF8.self)
            let type = "\"type\":\"authorization_code\""
            let doubled = good.replacing(type, with: "\"type\":\"id_token\",\(type)")
            await strike.fire(
                .json("/v1/exchange", text: doubled), expecting: .malformed("duplicate_parameter"))
            let again = good.replacing("\"credential\":", with: "\"credential\":{},\"credential\":")
            await strike.fire(.json("/v1/exchange", text: again), expecting: .malformed("duplicate_parameter"))
            let types: [JSON] = [["authorization_code"], "AUTHORIZATION_CODE", "authorization_code ", "", .null, 1]
            for type in types {
                await strike.fire(
                    strike.exchange(code.with("type", type)), expecting: .malformed("unknown_credential_type"))
            }
            for credential: JSON in [[], [["type": "authorization_code"]], "authorization_code", .null] {
                await strike.fire(
                    strike.exchange(credential), expecting: .malformed("malformed_body", "missing_field"))
            }
            try await strike.expectCalls(["yahoo.token": 0], since: mark)
            try await strike.mustStillWork(strike.exchange(code))
        },
        .attack(
            "EX-33", "An access token of Yahoo's, which another application was given, is posted with a good nonce.",
            severity: .critical, oracle: "invalid_grant, audience_unverifiable; the provider is not asked whose it is.",
            source: "Salt Labs 2023 (Grammarly, Vidio, Bukalapak); RFC 9700 4.10.2", reveals: [.bearerOfYahoo]
        ) { strike in
            let token = try await strike.issued(
                ["provider": "yahoo.com", "application": "hostile", "user": "alice"], "access_token")
            let mark = try await strike.mark()
            await strike.fire(
                strike.exchange([
                    "type": "access_token", "access_token": .string(token),
                    "nonce": .string(try await strike.nonce().verifier),
                ]), expecting: .refused("audience_unverifiable"))
            try await strike.expectCalls(["yahoo.userinfo": 0, "yahoo.introspect": 0], since: mark)
        },
    )
}
