internal import Jansson

/// Valid ID tokens with claims that must not influence the identity.
enum Identities {
    static let attacks: [Attack] = [
        Attack(
            "IDT-17", .idToken, .critical,
            "An ID token is posted whose header contains the victim's `sub` and whose payload contains the attacker's.",
            oracle: "The server ignores claims in the header; the uid comes from the payload.",
            source: "PROF ID Spoofing 12"
        ) { context in
            try await expectAttacker(context) { draft in
                draft.header["sub"] = .text(victim)
                draft.header["uid"] = .text(victim)
                draft.header["aud"] = "another-client"
                draft.header["iss"] = "https://accounts.google.com"
            }
        },
        control("IDT-22", "`aud` is an array of only our client id.", "FAPI2 valid-aud-as-array") { draft, ours in
            draft.claims["aud"] = [.text(ours)]
        },
        control("IDT-16j", "`typ` is `JWT`.", "RFC 7519 5.1") { draft, _ in draft.header["typ"] = "JWT" },
        control("IDT-16k", "`typ` is `jwt`.", "RFC 7515 4.1.9: media types ignore case") { draft, _ in
            draft.header["typ"] = "jwt"
        },
        control("IDT-59f", "`azp` is our client id.", "OIDC Core 3.1.3.7 (5)") { draft, ours in
            draft.claims["azp"] = .text(ours)
        },
        Attack(
            "IDT-50a", .idToken, .critical,
            "The attacker's ID token contains the victim's email address, with every form of `email_verified`.",
            oracle: "The server identifies users by issuer and subject: the uid is not the victim's.",
            source: "nOAuth; CVE-2026-55076; CVE-2026-55075; CVE-2024-21632", reveals: [.joinedByEmail]
        ) { context in
            let theirs = try await context.honest(try await context.genuine().request)["uid"]
            let values: [Forged?] = [true, false, nil, "true", "false", 1, .null, [true]]
            for value in values {
                let answer = try await accepted(context) { draft in
                    draft.claims["email"] = "alice@example.com"
                    draft.claims["email_verified"] = value
                }
                await context.expect(
                    answer["uid"] != nil && answer["uid"] != theirs, .minted,
                    "The uid is the victim's if `email_verified` is \(value?.json ?? "missing").")
            }
        },
        Attack(
            "IDT-50b", .idToken, .high,
            "The attacker's ID token contains the victim's email address in upper case, with a dot, or with a tag.",
            oracle: "The uid is not the victim's.", source: "CVE-2024-21632; CWE-178"
        ) { context in
            let theirs = try await context.honest(try await context.genuine(user: "carol").request)["uid"]
            for address in [
                "c.arol@example.com", "carol+1@example.com", "carol@example.com.", "carol@ex\u{E4}mple.com",
            ] {
                let answer = try await accepted(context) { draft in draft.claims["email"] = .text(address) }
                await context.expect(answer["uid"] != theirs, .minted, "The uid is the victim's.")
            }
        },
        Attack(
            "IDT-52", .idToken, .critical,
            "The attacker's ID token contains the victim's names and the attacker's `sub`.",
            oracle: "The uid is the attacker's own.", source: "PROF ID Spoofing 3"
        ) { context in
            try await expectAttacker(context) { draft in
                let names = ["name", "preferred_username", "nickname", "upn", "uid", "user_id", "oid", "unique_name"]
                for name in names { draft.claims[name] = .text(victim) }
            }
        },
        Attack(
            "IDT-53", .idToken, .high,
            "The picture, profile and claim sources of the ID token are URLs of the attacker.",
            oracle: "The server fetches none of them.", source: "CVE-2026-23603; OIDC Core 5.6.2"
        ) { context in
            let hostile = try context.standIns.addresses.hostile
            _ = try await accepted(context) { draft in
                for name in ["picture", "profile", "website"] { draft.claims[name] = .text(hostile + "/" + name) }
                draft.claims["_claim_names"] = .raw("{\"email\":\"src1\"}")
                draft.claims["_claim_sources"] = .raw("{\"src1\":{\"endpoint\":\"\(hostile)/claims\"}}")
            }
            _ = try await accepted(context) { draft in draft.claims["picture"] = "http://169.254.169.254/latest" }
            _ = try await accepted(context) { draft in draft.claims["profile"] = "file:///etc/passwd" }
        },
        Attack(
            "IDT-61", .idToken, .critical,
            "Two users sign in whose subjects differ only in case or in Unicode normalization.",
            oracle: "They get two uids: the server compares subjects byte by byte.", source: "CWE-178; OIDC Core 2",
            reveals: [.foldedSubject]
        ) { context in
            for pair in [("CaseOfOne", "caseofone"), ("caf\u{E9}", "cafe\u{301}"), ("x", "x ")] {
                let one = try await accepted(context, subject: pair.0) { _ in }
                let other = try await accepted(context, subject: pair.1) { _ in }
                await context.expect(
                    one["uid"].map { Array($0.utf8) } != other["uid"].map { Array($0.utf8) }, .minted,
                    "Two users have the same uid.")
            }
        },
        Attack(
            "IDT-62", .idToken, .critical, "The ID token contains claims that would grant rights at Firebase.",
            oracle: "The server copies none of them to the custom token.", source: "firebase-admin's reserved claims",
            reveals: [.claimsCopied]
        ) { context in
            let answer = try await accepted(context) { draft in
                for name in ["admin", "role", "firebase", "tenant", "uid", "claims"] { draft.claims[name] = "attacker" }
            }
            let payload = answer["custom_token"]?.components(".").dropFirst().first.flatMap(Base64.urlDecode) ?? []
            await context.expect(!payload.isEmpty, .wrongAnswer, "The custom token cannot be read.")
            await context.expect(
                !String(decoding: payload, as: UTF8.self).contains("\"attacker\""), .minted,
                "A claim of the ID token is in the custom token.")
        },
    ]

    private static let victim = "ALICEWJNWVNQD4GXZ5NGMZUST4"
    private static let attacker = "ATTACKERWJNWVNQD4GXZ5NGMZU"

    private static func accepted(
        _ context: AttackContext, subject: String = attacker, _ change: (inout TokenDraft) async throws -> Void
    ) async throws -> Answer {
        try await context.honest(try await context.forged(subject: subject, change))
    }

    private static func expectAttacker(_ context: AttackContext, _ change: (inout TokenDraft) -> Void) async throws {
        let answer = try await accepted(context) { change(&$0) }
        await context.expect(
            answer["provider_uid"] == attacker && answer["uid"]?.contains(victim) == false, .minted,
            "The response is about \(answer["provider_uid"] ?? "no user").")
    }

    /// A valid token of an unusual form, which the server must accept.
    private static func control(
        _ id: String, _ what: String, _ source: String,
        _ change: @escaping @Sendable (inout TokenDraft, String) -> Void
    ) -> Attack {
        Attack(
            id, .idToken, .low, "A valid ID token is posted whose \(what)", oracle: "The server accepts it once.",
            source: source
        ) { context in
            let ours = try await context.audience
            let request = try await context.forged { change(&$0, ours) }
            await context.expectAccepted(request)
        }
    }
}

extension AttackContext {
    /// Posts a token that must be accepted.
    ///
    /// A refusal is a finding; in ``honest(_:status:at:)`` it is inconclusive.
    @discardableResult func expectAccepted(_ request: Request, at wire: Wire? = nil) async -> Answer? {
        do {
            let answer = try await honest(request, at: wire)
            await expect(answer["custom_token"] != nil, .wrongAnswer, "The response contains no custom token.")
            return answer
        } catch let error as Inconclusive {
            await found(.wrongAnswer, "A valid token was refused: \(error.sentence)")
        } catch {
            await found(.wrongAnswer, "A valid token was refused: \(error)")
        }
        return nil
    }
}
