/// ID tokens signed by the provider with a wrong issuer, audience, authorized party or subject.
enum ForgedClaims {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-18", severity: .critical, oracle: "The server compares `iss` byte by byte.",
            source: "OIDC Core 3.1.3.7 (2); OIDF invalid-iss; CVE-2024-53861", reasons: ["issuer_mismatch"],
            reveals: [.issuerUnchecked], forgeries: issuers),
        ForgeryRow(
            id: "IDT-20", severity: .critical, oracle: "The server rejects a token without an audience.",
            source: "OIDF missing-aud; CVE-2020-26160; CVE-2024-5798", reasons: ["audience_mismatch"],
            reveals: [.audienceUnchecked], forgeries: noAudiences),
        ForgeryRow(
            id: "IDT-21", severity: .critical,
            oracle: "The server rejects a token that has another audience besides its client id.",
            source: "OIDC Core 3.1.3.7 (3); FAPI2 invalid-secondary-aud", reasons: ["audience_mismatch"],
            reveals: [.audienceUnchecked, .audienceAmongOthers], forgeries: manyAudiences),
        ForgeryRow(
            id: "IDT-23", severity: .critical, oracle: "The server compares `aud` byte by byte.",
            source: "OIDC Core 3.1.3.7 (3)", reasons: ["audience_mismatch"], reveals: [.audienceUnchecked],
            forgeries: nearAudiences),
        ForgeryRow(
            id: "IDT-59", severity: .critical,
            oracle: "The server rejects a token whose `azp` is present and is not its client id.",
            source: "OIDC Core 3.1.3.7 (5)", reasons: ["audience_mismatch"], reveals: [.audienceUnchecked],
            forgeries: parties),
        ForgeryRow(
            id: "IDT-29", severity: .high,
            oracle: "The server accepts as `sub` only a printable string of 1 to 255 bytes.",
            source: "OIDC Core 2; OIDF missing-sub; PROF ID Spoofing 10, 11", reasons: ["malformed_token"],
            forgeries: subjects),
    ]

    private static let issuers: [Forgery] = [
        issuer("a", "another provider's") { _ in "https://accounts.google.com" }, issuer("b", "missing") { _ in nil },
        issuer("c", "empty") { _ in "" },
        issuer("d", "an array that contains the correct one") { [.text($0), "https://evil.example"] },
        issuer("e", "the correct one followed by a slash", reveals: [.issuerPrefix]) { .text($0 + "/") },
        issuer("f", "the correct one with another scheme") { .text("https" + $0.dropFirst(4)) },
        issuer("g", "in capitals") { .text($0.uppercased()) },
        issuer("h", "the correct one followed by another domain", reveals: [.issuerPrefix]) {
            .text($0 + ".evil.example")
        },
        issuer("i", "the correct one followed by a path", reveals: [.issuerPrefix]) { .text($0 + "/x") },
        issuer("j", "the correct one without its last character") { .text(String($0.dropLast())) },
        issuer("k", "null") { _ in .null },
        issuer("l", "the correct one in the query of another URL") { .text("https://e.example/?" + $0) },
    ]

    private static func issuer(
        _ letter: String, _ what: String, reveals: Set<Mistake> = [],
        _ make: @escaping @Sendable (String) -> Forged?
    ) -> Forgery {
        Forgery(letter, "whose `iss` is \(what)", reveals: reveals) { draft, context in
            draft.claims["iss"] = make(try await context.providerKey("issuer"))
        }
    }

    private static let noAudiences: [Forgery] = [
        audience("a", "missing") { _ in nil }, audience("b", "empty") { _ in "" },
        audience("c", "an empty array") { _ in [] }, audience("d", "an array of one empty string") { _ in [""] },
        audience("e", "null") { _ in .null }, audience("f", "0") { _ in 0 },
        audience("g", "an object with our client id as name and as value") { .object([(name: $0, value: .text($0))]) },
        audience("h", "an array of our client id and a number") { [.text($0), 0] },
        audience("i", "a nested array") { [[.text($0)]] }, audience("j", "true") { _ in true },
    ]

    private static let manyAudiences: [Forgery] = [
        audience("a", "our client id and another one, without `azp`") { [.text($0), "another-client"] },
        audience("b", "our client id and another one, and `azp` is the other one", party: { _ in "another-client" }) {
            [.text($0), "another-client"]
        },
        audience("c", "our client id and another one, and `azp` is ours", party: { .text($0) }) {
            [.text($0), "another-client"]
        },
        audience("d", "another client id, followed by ours") { ["another-client", .text($0)] },
        audience("e", "ours twice") { [.text($0), .text($0)] },
    ]

    private static let nearAudiences: [Forgery] = [
        audience("a", "our client id followed by a letter", reveals: [.audienceSubstring]) { .text($0 + "x") },
        audience("b", "our client id preceded by a letter", reveals: [.audienceSubstring]) { .text("x" + $0) },
        audience("c", "our client id in upper case") { .text($0.uppercased()) },
        audience("d", "our client id followed by a space", reveals: [.audienceSubstring]) { .text($0 + " ") },
        audience("e", "a pattern that our client id matches") { _ in ".*" },
        audience("f", "our client id without its last character") { .text(String($0.dropLast())) },
        audience("g", "our client id and another one in one string", reveals: [.audienceSubstring]) {
            .text($0 + " another-client")
        },
        audience("h", "the client_id that the application has at this server") { _ in "my-app" },
        audience("i", "an array of our client id followed by a letter", reveals: [.audienceSubstring]) {
            [.text($0 + "x")]
        },
    ]

    private static let parties: [Forgery] = [
        audience("a", "our client id, and `azp` is another one", party: { _ in "another-client" }) { .text($0) },
        audience("b", "our client id, and `azp` is an array that contains it", party: { [.text($0)] }) { .text($0) },
        audience("c", "our client id, and `azp` is empty", party: { _ in "" }) { .text($0) },
        audience("d", "our client id, and `azp` is false", party: { _ in .bool(false) }) { .text($0) },
        audience("e", "our client id, and `azp` is our client id followed by a letter", party: { .text($0 + "x") }) {
            .text($0)
        },
    ]

    private static func audience(
        _ letter: String, _ what: String, reveals: Set<Mistake> = [],
        party: (@Sendable (String) -> Forged)? = nil, _ make: @escaping @Sendable (String) -> Forged?
    ) -> Forgery {
        Forgery(letter, "whose `aud` is \(what)", reveals: reveals) { draft, context in
            let ours = try await context.audience
            draft.claims["aud"] = make(ours)
            if let party { draft.claims["azp"] = party(ours) }
        }
    }

    private static let subjects: [Forgery] = [
        subject("a", "missing", nil), subject("b", "empty", ""), subject("c", "a number", 42),
        subject(
            "d", "an array of the victim's and the attacker's subject", ["ALICEWJNWVNQD4GXZ5NGMZUST4", "ATTACKER"]),
        subject(
            "e", "an array of the attacker's and the victim's subject", ["ATTACKER", "ALICEWJNWVNQD4GXZ5NGMZUST4"]),
        subject("f", "256 bytes long", .text(String(repeating: "a", count: 256))),
        subject("g", "only white space", " \u{A0} "),
        subject("h", "NUL", .raw("\"\\u0000\""), reveals: [.crashOnGarbage]),
        subject("i", "half of a surrogate pair", .raw("\"\\ud800\""), reveals: [.crashOnGarbage]),
        subject(
            "j", "the victim's subject followed by a NUL", .raw("\"ALICEWJNWVNQD4GXZ5NGMZUST4\\u0000x\""),
            reveals: [.crashOnGarbage]),
        subject("k", "a string with a line feed", "ALICE\nadmin"), subject("l", "null", .null),
    ]

    private static func subject(
        _ letter: String, _ what: String, _ value: Forged?, reveals: Set<Mistake> = []
    ) -> Forgery {
        Forgery(letter, "whose `sub` is \(what)", reveals: reveals) { draft, _ in
            draft.claims["sub"] = value
        }
    }
}

/// ID tokens signed by the provider with wrong times or a wrong nonce.
enum ForgedTimes {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-25", severity: .high,
            oracle: "The server accepts as `exp` only a number of seconds in the future, at most a day after `iat`.",
            source: "OIDC Core 3.1.3.7 (9); FAPI2 invalid-expired-exp; GHSA-wxg7-w2v3-w38g",
            reasons: ["malformed_token"], forgeries: expiries),
        ForgeryRow(
            id: "IDT-26", severity: .high,
            oracle: "The server requires an `iat` that is not in the future and at most ten minutes old.",
            source: "OIDC Core 3.1.3.7 (10); OIDF missing-iat; CVE-2020-26244", reasons: ["malformed_token"],
            reveals: [.issueTimeUnchecked], forgeries: issueTimes),
        ForgeryRow(
            id: "IDT-27", severity: .medium, oracle: "The server rejects a token before its `nbf`.",
            source: "RFC 7519 4.1.5", reasons: ["not_yet_valid"], forgeries: starts),
        ForgeryRow(
            id: "IDT-28", severity: .critical,
            oracle: "The server requires that `nonce` is the hash of the posted verifier.",
            source: "OIDC Core 3.1.3.7 (11); OIDF nonce-invalid; RFC 9700 4.5.3.2", reasons: ["nonce_mismatch"],
            reveals: [.nonceIgnored], forgeries: nonces),
    ]

    private static let expiries: [Forgery] = [
        time("exp", "a", "a day in the past", reasons: ["expired"], reveals: [.expiryUnchecked]) {
            .number($0 - 86_400)
        },
        time(
            "exp", "b", "in the past by the allowed skew and one second", reasons: ["expired"],
            reveals: [.expiryUnchecked]
        ) {
            .number($0 - 61)
        },
        time("exp", "c", "missing", reveals: [.expiryUnchecked]) { _ in nil },
        time("exp", "d", "null", reveals: [.expiryUnchecked]) { _ in .null },
        time("exp", "e", "a text", reveals: [.expiryUnchecked]) { _ in "9999999999" },
        time("exp", "f", "1e308", reveals: [.expiryUnchecked]) { _ in .raw("1e308") },
        time("exp", "g", "-1", reveals: [.expiryUnchecked]) { _ in -1 },
        time(
            "exp", "h", "the largest integer", reasons: ["lifetime_too_long"],
            reveals: [.expiryUnchecked, .issueTimeUnchecked, .lifetimeUnbounded]
        ) { _ in .number(.max) },
        time("exp", "i", "0", reasons: ["expired"], reveals: [.expiryUnchecked]) { _ in 0 },
        time("exp", "j", "true", reveals: [.expiryUnchecked]) { _ in true },
        time(
            "exp", "k", "more than a day after `iat`", reasons: ["lifetime_too_long"],
            reveals: [.expiryUnchecked, .issueTimeUnchecked, .lifetimeUnbounded]
        ) { .number($0 + 86_400 + 120) },
        time("exp", "l", "a number of 30 digits", reveals: [.crashOnGarbage]) { _ in
            .raw("999999999999999999999999999999")
        },
    ]

    private static let issueTimes: [Forgery] = [
        time("iat", "a", "missing") { _ in nil }, time("iat", "b", "a text") { .text(String($0)) },
        time("iat", "c", "two minutes in the future", reasons: ["not_yet_valid"]) { .number($0 + 120) },
        time(
            "iat", "d", "more than ten minutes and the skew in the past", reasons: ["too_old"], doors: TokenDoor.posted
        ) {
            .number($0 - 670)
        },
        time("iat", "e", "null") { _ in .null }, time("iat", "f", "negative") { _ in -1 },
        time("iat", "g", "a negative fraction") { _ in .raw("-1.5") },
        time("iat", "h", "0", reasons: ["too_old"], doors: TokenDoor.posted) { _ in 0 },
    ]

    private static let starts: [Forgery] = [
        time("nbf", "a", "five minutes in the future") { .number($0 + 300) },
        time("nbf", "b", "a text", reasons: ["malformed_token"]) { _ in "0" },
        time("nbf", "c", "false", reasons: ["malformed_token"]) { _ in .bool(false) },
    ]

    private static func time(
        _ claim: String, _ letter: String, _ what: String, reasons: Set<String>? = nil, reveals: Set<Mistake> = [],
        doors: [TokenDoor] = TokenDoor.allCases, _ make: @escaping @Sendable (Int64) -> Forged?
    ) -> Forgery {
        Forgery(letter, "whose `\(claim)` is \(what)", reasons: reasons, reveals: reveals, doors: doors) {
            draft, context in
            draft.claims[claim] = make(context.lab.now)
        }
    }

    private static let nonces: [Forgery] = [
        Forgery("a", "whose `nonce` is missing", reveals: [.nonceOnlyIfPresent]) { draft, _ in
            draft.claims["nonce"] = nil
        },
        Forgery("b", "whose `nonce` is the one of another sign-in") { draft, context in
            draft.claims["nonce"] = .text(try await context.nonce().nonce)
        },
        Forgery("c", "whose `nonce` is a constant") { draft, _ in draft.claims["nonce"] = "nonce"
        },
        Forgery("d", "whose `nonce` is an array that contains the correct value") { draft, _ in
            guard let nonce = draft.claims["nonce"] else { return }
            draft.claims["nonce"] = .array([nonce])
        },
        Forgery("e", "whose `nonce` is an object") { draft, _ in
            draft.claims["nonce"] = .object([])
        },
        Forgery("f", "whose `nonce` is only in the header", reveals: [.nonceOnlyIfPresent]) {
            draft, _ in
            draft.header["nonce"] = draft.claims["nonce"]
            draft.claims["nonce"] = nil
        },
        Forgery("g", "whose `nonce` is empty") { draft, _ in draft.claims["nonce"] = "" },
        Forgery("h", "whose `nonce` is null") { draft, _ in draft.claims["nonce"] = .null },
        Forgery("i", "whose `nonce` is the correct value without its last character") {
            draft, _ in
            guard case .text(let nonce) = draft.claims["nonce"] else { return }
            draft.claims["nonce"] = .text(String(nonce.dropLast()))
        },
    ]
}
