/// ID tokens of the provider's that are wrong in when they are good, and for which request.
enum ForgedTimes {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-25", severity: .high, oracle: "`exp` is a number of seconds that is not past and not far off.",
            source: "OIDC Core 3.1.3.7 (9); FAPI2 invalid-expired-exp; GHSA-wxg7-w2v3-w38g",
            reasons: ["malformed_token"], forgeries: expiries),
        ForgeryRow(
            id: "IDT-26", severity: .high, oracle: "`iat` is there, not to come, and no older than ten minutes.",
            source: "OIDC Core 3.1.3.7 (10); OIDF missing-iat; CVE-2020-26244", reasons: ["malformed_token"],
            reveals: [.issueTimeUnchecked], forgeries: issueTimes),
        ForgeryRow(
            id: "IDT-27", severity: .medium, oracle: "A token whose time has not begun is refused.",
            source: "RFC 7519 4.1.5", reasons: ["not_yet_valid"], forgeries: starts),
        ForgeryRow(
            id: "IDT-28", severity: .critical, oracle: "`nonce` is the hash of the verifier that is posted.",
            source: "OIDC Core 3.1.3.7 (11); OIDF nonce-invalid; RFC 9700 4.5.3.2", reasons: ["nonce_mismatch"],
            reveals: [.nonceIgnored], forgeries: nonces),
    ]

    private static let expiries: [Forgery] = [
        time("exp", "a", "a day past", reasons: ["expired"], reveals: [.expiryUnchecked]) { .number($0 - 86_400) },
        time("exp", "b", "past by the allowed skew and a second", reasons: ["expired"], reveals: [.expiryUnchecked]) {
            .number($0 - 61)
        },
        time("exp", "c", "missing", reveals: [.expiryUnchecked]) { _ in nil },
        time("exp", "d", "null", reveals: [.expiryUnchecked]) { _ in .null },
        time("exp", "e", "a text", reveals: [.expiryUnchecked]) { _ in "9999999999" },
        time("exp", "f", "1e308", reveals: [.expiryUnchecked]) { _ in .raw("1e308") },
        time("exp", "g", "-1", reveals: [.expiryUnchecked]) { _ in -1 },
        time(
            "exp", "h", "the greatest integer", reasons: ["lifetime_too_long"],
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
        time("iat", "c", "two minutes to come", reasons: ["not_yet_valid"]) { .number($0 + 120) },
        time("iat", "d", "older than ten minutes and the skew", reasons: ["too_old"]) { .number($0 - 670) },
        time("iat", "e", "null") { _ in .null }, time("iat", "f", "negative") { _ in -1 },
        time("iat", "g", "a fraction of a second") { .raw("\($0).5") },
        time("iat", "h", "0", reasons: ["too_old"]) { _ in 0 },
    ]

    private static let starts: [Forgery] = [
        time("nbf", "a", "five minutes to come") { .number($0 + 300) },
        time("nbf", "b", "a text", reasons: ["malformed_token"]) { _ in "0" },
        time("nbf", "c", "null", reasons: ["malformed_token"]) { _ in .null },
    ]

    private static func time(
        _ claim: String, _ letter: String, _ what: String, reasons: Set<String>? = nil, reveals: Set<Mistake> = [],
        _ make: @escaping @Sendable (Int64) -> Forged?
    ) -> Forgery {
        Forgery(letter, "`\(claim)` is \(what).", reasons: reasons, reveals: reveals) { draft, strike in
            draft.claims[claim] = make(strike.lab.now)
        }
    }

    private static let nonces: [Forgery] = [
        Forgery("a", "`nonce` is missing.", reveals: [.nonceOnlyIfPresent]) { draft, _ in draft.claims["nonce"] = nil },
        Forgery("b", "`nonce` is that of another sign-in.") { draft, strike in
            draft.claims["nonce"] = .text(try await strike.nonce().nonce)
        },
        Forgery("c", "`nonce` is a constant.") { draft, _ in draft.claims["nonce"] = "nonce" },
        Forgery("d", "`nonce` is a list with the right one in it.") { draft, _ in
            guard let nonce = draft.claims["nonce"] else { return }
            draft.claims["nonce"] = .array([nonce])
        },
        Forgery("e", "`nonce` is an object.") { draft, _ in draft.claims["nonce"] = .object([]) },
        Forgery("f", "`nonce` stands in the header alone.", reveals: [.nonceOnlyIfPresent]) { draft, _ in
            draft.header["nonce"] = draft.claims["nonce"]
            draft.claims["nonce"] = nil
        },
        Forgery("g", "`nonce` is empty.") { draft, _ in draft.claims["nonce"] = "" },
        Forgery("h", "`nonce` is null.") { draft, _ in draft.claims["nonce"] = .null },
        Forgery("i", "`nonce` is the right one without its last letter.") { draft, _ in
            guard case .text(let nonce) = draft.claims["nonce"] else { return }
            draft.claims["nonce"] = .text(String(nonce.dropLast()))
        },
    ]
}
