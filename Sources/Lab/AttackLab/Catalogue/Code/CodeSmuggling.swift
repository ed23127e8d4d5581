internal import Jansson

extension Catalogue {
    static let codeSmuggling: [Attack] = codeClaims + codeTransport

    /// EX-11: members by which a client could claim an identity.
    private static let codeClaims: [Attack] = [
        ("a", "uid", "uid", [.uidFromBody]), ("b", "user_id", "user_id", []), ("c", "sub", "sub", []),
        ("d", "email", "email", []), ("e", "claims", "claims", []), ("f", "admin", "admin", []),
        ("g", "firebase", "firebase", []), ("h", "provider_user", "provider_user", []),
    ].map { (letter: String, name: String, member: String, reveals: Set<Mistake>) in
        Attack(
            "EX-11" + letter, .code, .critical,
            "The attacker posts their own code with the victim's id as `\(name)`, in the credential and in the body.",
            oracle: "The server responds with unknown_field; it derives the uid only from the verified subject.",
            source: "BH-EU-16; GHSA-pfj7-wv7c-22pr", reveals: reveals
        ) { context in
            let own = try await context.uid(ofPerson: "mallory")
            let code = try await context.yahooCode(user: "mallory")
            let mark = try await context.mark()
            let values: [JSON] = ["yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", ["admin": true], true]
            for value in values {
                await context.fire(
                    context.exchange(code, further: [member: value]), expecting: .malformed("unknown_field"))
                await context.fire(context.exchange(code.with(member, value)), expecting: .malformed("unknown_field"))
            }
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            let answer = try await context.mustStillWork(context.exchange(code))
            await context.expect(
                answer?["uid"] == own, .minted, "The uid is not that of the attacker.")
        }
    }

    private static let codeTransport = Section(.code, .high).attacks(
        .attack(
            "EX-12", "The code contains `&client_id=` and further parameters for the provider.",
            oracle: "The provider receives one percent-encoded `code` and no parameter of the attacker.",
            source: "curl libcurl-security"
        ) { context in
            let mark = try await context.mark()
            // The codes differ, because the server would refuse a repeated code as a replay.
            let own = try await context.nonce().nonce.prefix(12)
            let texts: [String] = [
                "\(own)&client_id=evil&grant_type=refresh_token", "\(own)&grant_type=refresh_token",
                "\(own)%26client_id%3Devil",
                "\(own);client_id=evil", "\(own)#y", "\(own)+y z", "\(own)=y&code=z",
            ]
            for text in texts {
                let code = try await context.yahooCode().with("code", .string(text))
                await context.fire(context.exchange(code), expecting: .refused("code_rejected"))
            }
            let seen = try await context.standIns.requests(since: mark)
                .filter { $0["endpoint"]?.string == "yahoo.token" }
            await context.expect(
                seen.count == texts.count, .sideEffect, "The server did not call the provider once for each code.")
            for request in seen {
                let names = request["body_parameters"]?.array?.compactMap(\.string).sorted() ?? []
                await context.expect(
                    names == ["code", "grant_type", "redirect_uri"], .sideEffect,
                    "The provider received the parameters \(names.joined(separator: ", ")).")
            }
        },
        .attack(
            "EX-16", "The credential is sent in the query, with or without a body.", severity: .medium,
            oracle: "The server responds with 400 malformed_body and does not log the query.", source: "RFC 9700 4.3.2"
        ) { context in
            let code = try await context.yahooCode()
            let canary = try await context.canary()
            let request = context.exchange(code)
            var queried = request
            queried.target += "?code=" + canary
            await context.fire(queried, expecting: .malformed("malformed_body"))
            queried.body = []
            await context.fire(queried, expecting: .malformed("malformed_body"))
            queried.target = "/v1/exchange?" + canary
            await context.fire(queried, expecting: .malformed("malformed_body"))
            try await context.mustStillWork(request)
        },
        .attack(
            "EX-17a",
            "The endpoint is called with other methods than POST, with or without the credential in the body.",
            severity: .medium, oracle: "The server responds with 405 and an Allow field.", source: "RFC 9110 15.5.6"
        ) { context in
            let request = context.exchange(try await context.yahooCode())
            for method in ["GET", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"] {
                var changed = request
                changed.method = method
                let reply = await context.fire(
                    changed, expecting: .refused(status: 405, error: "invalid_request"))
                await context.expect(
                    reply.answer?.field("allow")?.contains("POST") == true, .wrongAnswer,
                    "The 405 response has no Allow field.")
            }
            try await context.mustStillWork(request)
        },
        .attack(
            "EX-17b", "A form on another site posts the credential with a media type that needs no CORS preflight.",
            oracle: "The server responds with 415: it reads only application/json.",
            source: "Fetch 2.2.2 (simple requests); PROF CSRF"
        ) { context in
            let request = context.exchange(try await context.yahooCode())
            let types: [String?] = [
                nil, "text/plain", "text/plain;application/json", "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x", "application/json; charset=utf-16", "application/jsonp",
                "application/vnd.api+json", "text/json",
            ]
            for type in types {
                var changed = request
                changed.fields = type.map { [("Content-Type", $0)] } ?? []
                await context.fire(
                    changed,
                    expecting: .unsupportedMediaType)
            }
            try await context.mustStillWork(request)
        },
        .attack(
            "EX-20", "The provider's error response repeats the client secret and contains markup.",
            oracle: "The server responds with code_rejected and a fixed text; response and log repeat nothing.",
            source: "RFC 6819 4.6.7",
            reveals: []
        ) { context in
            let canary = try await context.canary()
            await context.secret("sandbox-yahoo-secret-of-ours")
            let body: JSON = [
                "error": "invalid_grant",
                "error_description": .string("sandbox-yahoo-secret-of-ours <script>\(canary)</script>"),
                "error_uri": .string("https://\(canary).example/"),
            ]
            try await context.standIns.fault([
                "target": "yahoo.token", "times": 1, "status": 400,
                "body": .string(String(decoding: body.serialized(), as: UTF8.self)),
            ])
            await context.fire(
                context.exchange(try await context.yahooCode()), expecting: .refused("code_rejected"))
            try await context.standIns.fault([
                "target": "yahoo.token", "times": 1, "status": 500, "body": .string("<script>\(canary)</script>"),
            ])
            await context.fire(
                context.exchange(try await context.yahooCode()), expecting: .unusable("provider_error"))
        },
        .attack(
            "EX-22a", "One credential contains two kinds of evidence.", severity: .critical,
            oracle: "The server responds with unknown_field and verifies nothing; both can still be used.",
            source: "GHSA-pfj7-wv7c-22pr"
        ) { context in
            let code = try await context.yahooCode()
            let mark = try await context.mark()
            let others: [(String, JSON)] = [
                ("id_token", "e30.e30.AA"), ("access_token", "a-token"), ("oauth_token", "1-a"),
                ("oauth_token_secret", "secret"), ("session", "a-session"), ("pending_credential", "pending"),
            ]
            for (name, value) in others {
                await context.fire(context.exchange(code.with(name, value)), expecting: .malformed("unknown_field"))
            }
            let (genuine, issued) = try await context.genuine()
            let token = issued["id_token"] ?? .null
            await context.fire(context.exchange(code.with("id_token", token)), expecting: .malformed("unknown_field"))
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(context.exchange(code))
            try await context.mustStillWork(genuine)
        },
        .attack(
            "EX-22b", "The credential has two types, is an array, or is given twice.", severity: .critical,
            oracle: "The server responds with invalid_request and does not call the provider.",
            source: "GHSA-pfj7-wv7c-22pr; RFC 8259 4"
        ) { context in
            let code = try await context.yahooCode()
            let mark = try await context.mark()
            let good = String(decoding: context.exchange(code).body, as: UTF8.self)
            let type = "\"type\":\"authorization_code\""
            let doubled = good.replacing(type, with: "\"type\":\"id_token\",\(type)")
            await context.fire(
                .json("/v1/exchange", text: doubled), expecting: .malformed("duplicate_parameter"))
            let again = good.replacing("\"credential\":", with: "\"credential\":{},\"credential\":")
            await context.fire(.json("/v1/exchange", text: again), expecting: .malformed("duplicate_parameter"))
            let types: [JSON] = [["authorization_code"], "AUTHORIZATION_CODE", "authorization_code ", "", .null, 1]
            for type in types {
                await context.fire(
                    context.exchange(code.with("type", type)), expecting: .malformed("unknown_credential_type"))
            }
            for credential: JSON in [[], [["type": "authorization_code"]], "authorization_code", .null] {
                await context.fire(
                    context.exchange(credential), expecting: .malformed("malformed_body", "missing_field"))
            }
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(context.exchange(code))
        },
        .attack(
            "EX-33", "An access token that Yahoo issued to another application is posted with a valid nonce.",
            severity: .critical,
            oracle: "The server responds with audience_unverifiable and does not request the user of the token.",
            source: "Salt Labs 2023 (Grammarly, Vidio, Bukalapak); RFC 9700 4.10.2", reveals: [.bearerOfYahoo]
        ) { context in
            let token = try await context.issued(
                ["provider": "yahoo.com", "application": "hostile", "user": "alice"], "access_token")
            let mark = try await context.mark()
            await context.fire(
                context.exchange([
                    "type": "access_token", "access_token": .string(token),
                    "nonce": .string(try await context.nonce().verifier),
                ]), expecting: .refused("audience_unverifiable"))
            try await context.expectCalls(["yahoo.userinfo": 0, "yahoo.introspect": 0], since: mark)
        },
    )
}
