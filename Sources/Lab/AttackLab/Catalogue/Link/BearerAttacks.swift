internal import Jansson

/// Firebase ID tokens with one fault, at every endpoint that takes one.
enum BearerAttacks {
    typealias Variant = (letter: String, sentence: String, reason: String, order: [String: JSON])

    static let all: [Attack] = variants.map { variant in
        Attack(
            "LK-01\(variant.letter)", .link, .critical,
            "Account endpoints are called with a bearer token \(variant.sentence).",
            oracle: "The server responds with 401 \(variant.reason) before it reads the body, and changes nothing.",
            source: "firebase-admin token-verifier.spec", needs: [.standIns, .accounts]
        ) { context in
            let victim = try await context.enter()
            let token = try await context.bearer(of: victim.uid, variant.order)
            await context.fireEverywhere(token, expecting: .unauthorized(variant.reason))
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        }
    }

    private static let invalid = "id_token_invalid"

    private static let variants: [Variant] = claims + headers + times

    private static let claims: [Variant] = [
        ("f", "of another project", invalid, ["project_id": "another"]),
        (
            "g", "of which only `iss` is of another project", invalid,
            ["set": ["iss": "https://securetoken.google.com/another"]]
        ),
        ("h", "whose `iss` has a trailing slash", invalid, ["set": ["iss": "https://securetoken.google.com/sandbox/"]]),
        ("i", "of which only `aud` is another project", invalid, ["set": ["aud": "another"]]),
        ("j", "whose `aud` is an array that contains the project", invalid, ["set": ["aud": ["another", "sandbox"]]]),
        ("k", "with an empty `sub`", invalid, ["set": ["sub": "", "user_id": ""]]),
        (
            "l", "with a `sub` of 129 characters", invalid,
            [
                "set": [
                    "sub": .string(String(repeating: "a", count: 129)),
                    "user_id": .string(String(repeating: "a", count: 129)),
                ]
            ]
        ),
        ("m", "with a number for `sub`", invalid, ["set": ["sub": 1, "user_id": 1]]),
        ("n", "without `sub`", invalid, ["remove": ["sub"]]),
        ("o", "whose `user_id` differs from its `sub`", invalid, ["set": ["user_id": "another-uid"]]),
        ("p", "with a duplicate `sub`", invalid, ["duplicate": ["sub": "another-uid"]]),
        ("q", "without `firebase`", invalid, ["remove": ["firebase"]]),
    ]

    private static let headers: [Variant] = [
        ("r", "without `kid`", invalid, ["header_remove": ["kid"]]),
        ("s", "with an unknown `kid`", invalid, ["header": ["kid": "unknown-key"]]),
        ("t", "signed with another key, with the correct `kid`,", invalid, ["key": "foreign"]),
        ("u", "with `alg` none and no signature", invalid, ["key": "none"]),
        ("v", "signed with HS256 and the public key", invalid, ["key": "hs256"]),
        ("w", "whose header says ES256", invalid, ["header": ["alg": "ES256"]]),
        ("x", "whose header says RS512", invalid, ["header": ["alg": "RS512"]]),
        ("y", "with an unknown `crit`", invalid, ["header": ["crit": ["exp"]]]),
        ("z", "whose payload is not JSON", invalid, ["payload_text": "sub=another-uid"]),
    ]

    private static let times: [Variant] = [
        ("aa", "that has expired", "id_token_expired", ["issued_seconds_ago": 3700]),
        ("ab", "of tomorrow", invalid, ["issued_seconds_ago": -86400]),
        ("ac", "without `exp`", invalid, ["remove": ["exp"]]),
        ("ad", "without `iat`", invalid, ["remove": ["iat"]]),
        ("ae", "without `auth_time`", invalid, ["remove": ["auth_time"]]),
        ("af", "that is valid for ten years", invalid, ["set": ["exp": 2_100_000_000]]),
        ("ag", "of a sign-in in the future", invalid, ["authenticated_seconds_ago": -600]),
        ("ah", "whose `exp` is a string", invalid, ["set": ["exp": "2100000000"]]),
    ]
}

extension AttackContext {
    /// Sends the same bearer token to every call.
    ///
    /// The bodies are not JSON, so that an endpoint that reads the body first responds
    /// differently.
    ///
    /// - `onlyBodiless`: Whether to use only endpoints without a body.
    func fireEverywhere(
        _ bearer: String?, expecting expectation: Expectation, onlyBodiless: Bool = false, at wire: Wire? = nil
    ) async {
        await fire(account(bearer), expecting: expectation, at: wire)
        await fire(deleteAccount(bearer), expecting: expectation, at: wire)
        guard !onlyBodiless else { return }
        let proof: JSON = ["type": "id_token", "id_token": "a.b.c", "nonce": "n"]
        for request in [
            link(bearer, proof), unlink(bearer, "yahoo.com"), reauthenticate(bearer, proof),
            merge(bearer, ["from_id_token": "a.b.c"]), signOut(bearer),
        ] {
            await fire(request, expecting: expectation, at: wire)
        }
    }
}

/// Missing and malformed bearer tokens, and bearer tokens in the wrong place.
enum BearerFieldAttacks {
    static let all: [Attack] = fields + places + foreign

    private static let missing = Expectation.unauthorized("id_token_missing")
    private static let invalid = Expectation.unauthorized("id_token_invalid")

    private static let fields: [Attack] = [
        ("a", "no bearer token", missing, nil), ("b", "an empty bearer token", missing, "Bearer "),
        ("c", "Basic credentials", missing, "Basic YWxpY2U6c2VjcmV0"), ("d", "a word", invalid, "Bearer abc"),
        ("e", "three empty segments", invalid, "Bearer .."),
    ].map { (letter: String, what: String, expectation: Expectation, field: String?) in
        Attack(
            "LK-01\(letter)", .link, .high, "The account is requested with \(what).",
            oracle: "The server responds with 401 and `WWW-Authenticate: Bearer`.", source: "RFC 6750 3",
            needs: [.accounts]
        ) { context in
            var request = Request.get("/v1/account")
            if let field { request = request.with("Authorization", field) }
            let reply = await context.fire(request, expecting: expectation)
            await context.expect(
                reply.answer?.field("www-authenticate")?.hasPrefix("Bearer") == true, .wrongAnswer,
                "The response has no WWW-Authenticate: Bearer.")
            var link = Request.json("/v1/account/link", text: "{")
            if let field { link = link.with("Authorization", field) }
            await context.fire(link, expecting: expectation)
        }
    }

    private static let places = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-01ai", "A valid bearer token and another one are sent in two Authorization fields.",
            oracle: "The server responds with 401: the caller must not depend on which field a parser reads.",
            source: "RFC 9110 11.6.2"
        ) { context in
            let (one, other) = (try await context.enter(), try await context.enter())
            await context.fire(context.account(one.bearer).bearing(other.bearer), expecting: missing)
        },
        .attack(
            "LK-13a", "A bearer token is sent as a query parameter (RFC 6750 2.3).",
            oracle: "The server responds with 401: it reads the token only from the header field.",
            source: "RFC 6750 2.3; RFC 9700 4.3.2"
        ) { context in
            let victim = try await context.enter()
            for name in ["access_token", "id_token", "token"] {
                await context.fire(.get("/v1/account?\(name)=\(victim.bearer)"), expecting: missing)
            }
        },
        .attack(
            "LK-13b", "A bearer token is sent in a cookie.",
            oracle: "The server responds with 401: a cookie does not authenticate a caller.",
            source: "CVE-2015-9284"
        ) { context in
            let victim = try await context.enter()
            let names = ["__session", "session", "token", "id_token", "Authorization"]
            let cookie = names.map { "\($0)=\(victim.bearer)" }.joined(separator: "; ")
            let proof = try await context.proof(of: try context.freshSubject(), at: AttackContext.secondProvider)
            await context.fire(context.account(nil).with("Cookie", cookie), expecting: missing)
            await context.fire(
                context.link(nil, proof, provider: AttackContext.secondProvider).with("Cookie", cookie),
                expecting: missing)
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-13c", "LINK and the other state-changing endpoints are called with GET.",
            oracle: "The server responds with 405 method_not_allowed: a clicked link must not change anything.",
            source: "CVE-2021-41274"
        ) { context in
            let victim = try await context.enter()
            for call in ["link", "unlink", "reauthenticate", "merge", "signout"] {
                let expectation = Expectation.methodNotAllowed
                await context.fire(
                    Request.get("/v1/account/\(call)?provider=yahoo.com").bearing(victim.bearer),
                    expecting: expectation)
            }
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-13d", "A page of another origin posts to LINK with a simple content type.",
            oracle: "The server responds with 415 unsupported_media_type, without Access-Control-Allow-Origin.",
            source: "CVE-2021-41274"
        ) { context in
            let victim = try await context.enter()
            let proof = try await context.proof(of: try context.freshSubject(), at: AttackContext.secondProvider)
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"] {
                var request = context.link(victim.bearer, proof, provider: AttackContext.secondProvider)
                request.fields.removeAll { $0.name == "Content-Type" }
                request.fields += [("Content-Type", type), ("Origin", "https://evil.example")]
                let reply = await context.fire(
                    request,
                    expecting: .unsupportedMediaType)
                await context.expect(
                    reply.answer?.field("access-control-allow-origin") == nil, .unprotected,
                    "A foreign origin may read the response.")
            }
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-13e", "A page of another origin sends a valid bearer token to every account endpoint.",
            oracle: "The server responds with 403 origin_not_allowed, without Access-Control-Allow-Origin.",
            source: "CVE-2021-41274"
        ) { context in
            let victim = try await context.enter()
            let proof = try await context.proof(of: try context.freshSubject(), at: AttackContext.secondProvider)
            let client = "client_id=" + context.lab.application.clientID
            for request in [
                Request.get("/v1/account?" + client).bearing(victim.bearer),
                Request("DELETE", "/v1/account?" + client).bearing(victim.bearer),
                context.link(victim.bearer, proof, provider: AttackContext.secondProvider),
                context.reauthenticate(victim.bearer, proof, provider: AttackContext.secondProvider),
                context.merge(victim.bearer, ["from_id_token": "a.b.c"]),
            ] {
                let reply = await context.fire(
                    request.with("Origin", "https://evil.example"), expecting: .denied("origin_not_allowed"))
                await context.expect(
                    reply.answer?.field("access-control-allow-origin") == nil, .unprotected,
                    "A foreign origin may read the response.")
            }
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
    )

    private static let foreign: [Attack] = [
        foreign("LK-03a", "The server's own custom token") { context, victim in victim.customToken },
        foreign("LK-03b", "A Firebase session cookie") { context, victim in
            try await context.bearer(
                of: victim.uid, ["set": ["iss": "https://session.firebase.google.com/sandbox"]])
        },
        foreign("LK-03c", "An ID token of Google") { context, victim in
            try await context.bearer(
                of: victim.uid,
                ["set": ["iss": "https://accounts.google.com"], "remove": ["firebase", "user_id", "auth_time"]])
        },
        foreign("LK-03d", "An ID token of Yahoo") { context, victim in
            try await context.draft(subject: victim.uid, nonce: nil).token(by: context.standIns)
        },
        foreign("LK-03e", "An App Check token") { context, _ in
            try await context.appCheckToken(["app_id": "1:1234567890:ios:abcdef"])
        },
        foreign("LK-03f", "An ID token of Yahoo with the claims of a Firebase ID token") { context, victim in
            var draft = try await context.draft(subject: victim.uid, nonce: nil)
            draft.claims["iss"] = "https://securetoken.google.com/sandbox"
            draft.claims["aud"] = "sandbox"
            draft.claims["user_id"] = .text(victim.uid)
            draft.claims["firebase"] = .object([("sign_in_provider", "custom")])
            return try await draft.token(by: context.standIns)
        },
    ]

    private static func foreign(
        _ id: String, _ what: String, token: @escaping @Sendable (AttackContext, Member) async throws -> String
    ) -> Attack {
        Attack(
            id, .link, .critical, "\(what) is sent as bearer token.",
            oracle: "The server responds with 401 id_token_invalid.",
            source: "firebase-admin token-verifier.spec", needs: [.standIns, .accounts]
        ) { context in
            let victim = try await context.enter()
            await context.fireEverywhere(try await token(context, victim), expecting: invalid)
        }
    }
}
