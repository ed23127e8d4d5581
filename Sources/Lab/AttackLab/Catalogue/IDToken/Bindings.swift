internal import Jansson
internal import OpenSSL

/// Attacks on the bindings of an ID token: the configured audience, the nonce verifier, and a fresh login.
enum Bindings {
    static let attacks: [Attack] = [
        Attack(
            "IDT-24", .idToken, .critical,
            "The server is configured with an empty, missing or ill-typed audience.",
            oracle: "The server refuses to start and reports the reason; it never omits the check.",
            source: "GHSA-x6fw-778m-wr9v; GHSA-r657-33vp-gp22", needs: [.standIns, .processes]
        ) { context in
            let bed = try context.testBed
            for (number, (name, value)) in audiences.enumerated() {
                var plan = ServerPlan("audience-\(number)")
                plan.set("providers/yahoo.com/" + name, value)
                let (exitCode, output) = try await bed.refusal(plan)
                await context.expect(
                    exitCode != nil && exitCode != 0, .wrongAnswer,
                    "With \(name) \(value?.text ?? "missing") it exited with \(exitCode.map { "\($0)" } ?? "nothing")."
                )
                await context.expect(
                    output.contains(name), .wrongAnswer,
                    "The output does not mention \(name) \(value?.text ?? "missing").")
            }
        },
        stale("IDT-27d", "is much earlier than the sign-in that requires a fresh login", "too_old") {
            ["set": ["auth_time": .integer($0 - 3600)]]
        },
        stale("IDT-27e", "is missing, although a fresh login is required", "fresh_login_unproven") { _ in
            ["remove": ["auth_time"]]
        },
        stale("IDT-27f", "is in the future", "not_yet_valid") { ["set": ["auth_time": .integer($0 + 3600)]] },
        verifier("IDT-60a", "that the server issued to another application") { context in
            try await context.nonce(clientID: context.lab.application.otherClientID)
        },
        verifier("IDT-60b", "that the server issued for another provider", needs: [.standIns, .oauth1]) { context in
            try await context.nonce(provider: "twitter.com")
        },
        verifier("IDT-60c", "that the server did not issue: the nonce itself") { context in
            let nonce = try await context.nonce().nonce
            return (nonce, nonce)
        },
        verifier("IDT-60d", "that the attacker invented") { _ in
            let verifier = Base64.urlEncode(Array("made-by-the-attacker-himself-0123456789".utf8))
            return (AttackContext.challenge(verifier), verifier)
        },
        verifier("IDT-60e", "in another encoding") { context in
            let (nonce, verifier) = try await context.nonce()
            return (nonce, verifier + "=")
        },
        verifier("IDT-60f", "with one changed character") { context in
            let (nonce, verifier) = try await context.nonce()
            let first = verifier.hasPrefix("A") ? "B" : "A"
            return (nonce, first + verifier.dropFirst())
        },
        Attack(
            "IDT-60g", .idToken, .critical, "A leaked ID token is posted without a nonce verifier.",
            oracle: "The server responds with invalid_request: the nonce verifier is required.",
            source: "RFC 9700 4.5.3.2"
        ) { context in
            let token = try await Replays.fresh(context).token
            await context.fire(
                context.exchange(["type": "id_token", "id_token": .string(token)]),
                expecting: .malformed("missing_field"))
            for nonce in ["", .null, 0, []] as [JSON] {
                await context.fire(
                    context.exchange(["type": "id_token", "id_token": .string(token), "nonce": nonce]),
                    expecting: nonce == .null
                        ? .malformed("missing_field", "malformed_body") : .malformed("malformed_body"))
            }
        },
        Attack(
            "IDT-34r", .idToken, .high,
            "An ID token is posted whose provider signed non-canonical base64url, for example with padding.",
            oracle: "The server accepts only canonical base64url, even if the signature is valid.",
            source: "RFC 7515 2; RFC 4648 3.5",
            needs: [.standIns, .processes]
        ) { context in
            let key = try OwnKey.p256("k")
            try await context.withKeyRoom(keys: [key.jwk()]) { room in
                for ending in ["=", "==", " ", ".", "?"] {
                    for part in 0...1 {
                        let change: @Sendable (inout TokenDraft) throws -> Void = { draft in
                            var parts = [Base64.urlEncode(draft.header.bytes), Base64.urlEncode(draft.claims.bytes)]
                            parts[part] += ending
                            let input = parts.joined(separator: ".")
                            let token = input + "." + Base64.urlEncode(try key.signature(for: Array(input.utf8)))
                            draft.finish = { _ in token }
                        }
                        try await room.fire(key: key, expecting: .refused("malformed_token"), change: change)
                    }
                }
                try await room.expectAccepted(key: key)
            }
        },
    ]

    private static let audiences: [(String, JSON?)] = [
        ("client_id", nil), ("client_id", ""), ("client_id", .null), ("client_id", []), ("client_id", [:]),
        ("client_ids", "another-client"), ("client_ids", [""]), ("client_ids", [.null]), ("client_ids", [:]),
    ]

    private static func stale(
        _ id: String, _ what: String, _ reason: String, _ claims: @escaping @Sendable (Int64) -> JSON
    ) -> Attack {
        Attack(
            id, .idToken, .high,
            "A sign-in requires a login within the last minute (`max_age`), and `auth_time` \(what).",
            oracle: "The server rejects the token: it checks `auth_time` if `max_age` was requested.",
            source: "OIDC Core 3.1.3.7 (13)",
            needs: [.standIns, .sessions]
        ) { context in
            let begun = try await context.session(further: ["parameters": ["max_age": "60"]])
            let url = try await context.callbackURL(of: begun)
            try await context.standIns.claims(claims(context.lab.now))
            await context.fire(context.ending(begun, url), expecting: .refused(reason))
        }
    }

    /// - `make`: Returns the nonce of the token and the value that is posted as its verifier.
    private static func verifier(
        _ id: String, _ what: String, needs: Set<Need> = [.standIns],
        _ make: @escaping @Sendable (AttackContext) async throws -> (nonce: String, verifier: String)
    ) -> Attack {
        Attack(
            id, .idToken, .critical, "An ID token is posted with a nonce verifier \(what).",
            oracle: "The server accepts only a verifier that it issued for this client and provider: nonce_mismatch.",
            source: "RFC 9700 4.5.3.2; RFC 8725 3.9", needs: needs
        ) { context in
            let (nonce, verifier) = try await make(context)
            let token = try await context.draft(nonce: nonce).token(by: context.standIns)
            await context.fire(context.exchange(idToken: token, nonce: verifier), expecting: .refused("nonce_mismatch"))
        }
    }
}

enum AccessTokenDigest {
    /// SHA-256, the hash of `at_hash` for tokens signed with ES256 or RS256 (OIDC Core §3.1.3.6).
    static func sha256(_ token: String) -> [UInt8] { SHA256.hash(Array(token.utf8)) }
}

/// Access tokens posted with an ID token whose `at_hash` does not match.
enum Substitutions {
    static let attacks: [Attack] = [
        Attack(
            "IDT-37a", .idToken, .critical, "A valid ID token is posted with the access token of another user.",
            oracle:
                "The server responds with invalid_grant, at_hash_mismatch, and does not use the access token.",
            source: "OIDC Core 3.1.3.6; OIDF invalid-athash; RFC 9700 4.6", reveals: [.accessTokenHashIgnored]
        ) { context in
            let mark = try await context.mark()
            let other = try await context.genuine(user: "mallory").issued["access_token"]?.string ?? ""
            let (nonce, verifier) = try await context.nonce()
            let issued = try await context.standIns.issue([
                "provider": "yahoo.com", "user": "alice", "nonce": .string(nonce),
            ])
            await context.fire(
                context.exchange(idToken: issued["id_token"]?.string ?? "", nonce: verifier, accessToken: other),
                expecting: .refused("at_hash_mismatch"))
            try await context.expectCalls(["yahoo.userinfo": 0], since: mark)
        },
        unvouched("IDT-37b", "`at_hash` is that of another access token.") { _ in "AAAAAAAAAAAAAAAAAAAAAA" },
        unvouched("IDT-38a", "`at_hash` is missing.", reveals: [.accessTokenHashOptional]) { _ in nil },
        unvouched("IDT-38b", "`at_hash` is empty.") { _ in "" },
        unvouched("IDT-38c", "`at_hash` is null.") { _ in .null },
        unvouched("IDT-38d", "`at_hash` is an array that contains the correct value.") { [.text(hash($0, 16))] },
        unvouched("IDT-38e", "`at_hash` is the full hash instead of its left half.") { .text(hash($0, 32)) },
        unvouched("IDT-38f", "`at_hash` is a prefix of the correct value.") { .text(hash($0, 8)) },
        unvouched("IDT-38g", "`at_hash` has the length of another hash, such as SHA-512.") {
            .text(hash($0, 16) + hash($0, 16))
        },
        unvouched("IDT-38h", "`at_hash` is 0.") { _ in 0 },
    ]

    private static func hash(_ token: String, _ count: Int) -> String {
        Base64.urlEncode(AccessTokenDigest.sha256(token).prefix(count))
    }

    private static func unvouched(
        _ id: String, _ what: String, reveals: Set<Mistake> = [],
        _ make: @escaping @Sendable (String) -> Forged?
    ) -> Attack {
        Attack(
            id, .idToken, .high, "An access token of the same user is posted with an ID token whose \(what)",
            oracle:
                "The server responds with at_hash_mismatch and does not use the access token.",
            source: "OIDC Core 3.1.3.6; OIDF missing-athash; CVE-2026-28498",
            reveals: reveals.union([.accessTokenHashIgnored])
        ) { context in
            let mark = try await context.mark()
            let access = try await context.genuine(user: "mallory").issued["access_token"]?.string ?? ""
            let request = try await context.forged(subject: "MALLORYJNWVNQD4GXZ5NGMZUS4", accessToken: access) {
                $0.claims["at_hash"] = make(access)
            }
            await context.fire(request, expecting: .refused("at_hash_mismatch"))
            try await context.expectCalls(["yahoo.userinfo": 0], since: mark)
        }
    }
}
