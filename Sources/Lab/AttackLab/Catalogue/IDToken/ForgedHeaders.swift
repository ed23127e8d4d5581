internal import Jansson

/// ID tokens with a valid signature of the provider and a wrong JOSE header.
enum ForgedHeaders {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-02", severity: .critical,
            oracle: "The server accepts only an `alg` on its allow list, compared byte by byte.",
            source: "RFC 8725 3.1; jwt_tool scanModeErrors", reasons: ["malformed_token"],
            reveals: [.crashOnGarbage], forgeries: wrongTypes),
        ForgeryRow(
            id: "IDT-02", severity: .critical,
            oracle: "The server accepts only an `alg` on its allow list, compared byte by byte.",
            source: "RFC 8725 3.1; jwt_tool scanModeErrors", reasons: ["algorithm_not_allowed"], forgeries: spellings),
        ForgeryRow(
            id: "IDT-07", severity: .high,
            oracle: "The server rejects an algorithm that is not configured for this issuer.",
            source: "FAPI2 invalid-alternate-alg; RFC 8725 3.1-3.2", reasons: ["algorithm_not_allowed"],
            forgeries: others),
        ForgeryRow(
            id: "IDT-08", severity: .high, oracle: "The server uses each key for exactly one algorithm.",
            source: "RFC 8725 3.1; Wycheproof json_web_signature 353-356", reasons: ["algorithm_not_allowed"],
            forgeries: crossed),
        ForgeryRow(
            id: "IDT-15", severity: .high,
            oracle: "The server understands no critical parameter and rejects every token with `crit`.",
            source: "RFC 7515 4.1.11; CVE-2025-59420; CVE-2026-35042", reasons: ["malformed_token"],
            reveals: [.criticalIgnored], forgeries: critical),
        ForgeryRow(
            id: "IDT-16", severity: .critical,
            oracle: "The server accepts only an absent `typ` or `JWT`, so that other kinds of tokens are rejected.",
            source: "RFC 8725 3.11-3.12", reasons: ["malformed_token"], reveals: [.typeIgnored], forgeries: types),
        ForgeryRow(
            id: "IDT-57", severity: .critical, oracle: "The server rejects `none` in every spelling.",
            source: "RFC 8725 2.1; CVE-2015-9235; FAPI2 invalid-null-alg",
            reasons: ["algorithm_not_allowed", "malformed_token"], reveals: [.noneAccepted], forgeries: unsecured),
    ]

    private static let wrongTypes: [Forgery] = [
        alg("a", "missing", nil), alg("b", "null", .null), alg("c", "0", 0), alg("d", "true", true),
        alg("e", "a list", ["ES256"]), alg("f", "an object", .object([])),
    ]

    private static let spellings: [Forgery] = [
        alg("g", "empty", ""), alg("h", "in lower case", "es256"), alg("i", "followed by a space", "ES256 "),
        alg("j", "preceded by a space", " ES256"), alg("k", "followed by a combining accent", "ES256\u{301}"),
        alg("l", "in fullwidth letters", "ＥＳ２５６"),
    ]

    private static let others: [Forgery] = [
        alg("a", "RS384", "RS384"), alg("b", "RS512", "RS512"), alg("c", "PS256", "PS256"),
        alg("d", "ES384", "ES384"), alg("e", "EdDSA", "EdDSA"), alg("f", "ES256K", "ES256K"),
        alg("g", "RS1", "RS1"), alg("h", "dir", "dir"),
    ]

    private static func alg(_ letter: String, _ name: String, _ value: Forged?) -> Forgery {
        Forgery(letter, "whose `alg` is \(name), with a signature of the provider") { draft, _ in
            draft.header["alg"] = value
        }
    }

    private static let crossed: [Forgery] = [
        Forgery("a", "with `alg` ES256 and the `kid` of an RSA key") { draft, context in
            draft.header["kid"] = .text(try await context.providerKey("rsa_kid"))
        },
        Forgery(
            "b", "with `alg` RS256, a matching signature, and the `kid` of an EC key"
        ) { draft, context in
            let kid = try await context.providerKey("own_kid")
            draft.useRSA(kid)
        },
    ]

    private static let critical: [Forgery] = [
        crit("a", "whose `crit` names an unknown parameter", ["crit": ["bork"], "bork": true]),
        crit("b", "whose `crit` is empty", ["crit": []]),
        crit("c", "whose `crit` is a string", ["crit": "exp"]),
        crit("d", "whose `crit` names `b64`, which is false", ["b64": false, "crit": ["b64"]]),
        crit("e", "whose `b64` is false without `crit`", ["b64": false]),
        crit("f", "whose `crit` is null", ["crit": .null]),
    ]

    private static func crit(
        _ letter: String, _ what: String, _ members: KeyValuePairs<String, Forged>
    ) -> Forgery {
        let members = members.map { ($0.key, $0.value) }
        return Forgery(letter, what) { draft, _ in
            for (name, value) in members { draft.header[name] = value }
        }
    }

    private static let types: [Forgery] = [
        type("a", "at+jwt", "at+jwt"), type("b", "logout+jwt", "logout+jwt"), type("c", "dpop+jwt", "dpop+jwt"),
        type("d", "secevent+jwt", "secevent+jwt"), type("e", "application/at+jwt", "application/at+jwt"),
        type("f", "token-introspection+jwt", "token-introspection+jwt"), type("g", "JWE", "JWE"),
        type("h", "empty", ""), type("i", "a list", ["JWT"]),
    ]

    private static func type(_ letter: String, _ what: String, _ value: Forged) -> Forgery {
        Forgery(letter, "whose `typ` is \(what), with a signature of the provider") { draft, _ in
            draft.header["typ"] = value
        }
    }

    private static let unsecured: [Forgery] = [
        none("a", "none", .none), none("b", "None", .none), none("c", "NONE", .none), none("d", "nOnE", .none),
        none("e", "none", .foreign), none("f", "none", .provider),
    ]

    private static func none(_ letter: String, _ name: String, _ key: TokenDraft.Key) -> Forgery {
        let what =
            switch key {
            case .none: "whose `alg` is \(name), without a signature"
            case .foreign: "whose `alg` is \(name), with a signature of the attacker"
            default: "whose `alg` is \(name), with a signature of the provider"
            }
        return Forgery(letter, what) { draft, _ in
            draft.header["alg"] = .text(name)
            draft.key = key
        }
    }
}

extension AttackContext {
    /// Returns a member of the description that Yahoo's stand-in gives of its keys.
    func providerKey(_ member: String) async throws -> String {
        guard let text = try await standIns.keys()[member]?.string else {
            throw Inconclusive("Yahoo's stand-in reported no \(member).")
        }
        return text
    }
}

/// ID tokens whose header names a key in a dangerous way, with a valid signature of the provider.
enum ForgedKeyIDs {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-13", severity: .high,
            oracle: "The server only compares `kid` with the ids in the key set.",
            source: "RFC 8725 3.10; jwt_tool kid tests; PROF Key Confusion 5", reasons: ["unknown_key"],
            forgeries: unknown),
        ForgeryRow(
            id: "IDT-13", severity: .high, oracle: "The server accepts as `kid` only a string of 1 to 256 bytes.",
            source: "RFC 8725 3.10; RFC 7515 4.1.4", reasons: ["malformed_token"], forgeries: malformed),
    ]

    private static let unknown: [Forgery] = [
        named("a", "a path to a parent directory", "../../../../../../dev/null"), named("b", "a path", "/dev/null"),
        named("c", "SQL", "x' UNION SELECT '1';--"), named("d", "a shell command", "|sleep 10"),
        named("e", "a shell command in backquotes", "`sleep 10`"),
        Forgery("f", "whose `kid` is the URL of the attacker's key") { draft, context in
            draft.header["kid"] = .text(try context.standIns.addresses.hostile + "/key")
        },
        Forgery("g", "whose `kid` is the complete key of the attacker") { draft, _ in
            let key = try OwnKey.p256(nil)
            key.sign(&draft)
            draft.header["kid"] = .text(key.jwk().text)
        },
        Forgery("h", "whose `kid` is the provider's in upper case") { draft, context in
            draft.header["kid"] = .text(try await context.providerKey("own_kid").uppercased())
        },
        Forgery("i", "whose `kid` is the provider's followed by a space") { draft, context in
            draft.header["kid"] = .text(try await context.providerKey("own_kid") + " ")
        },
        named("j", "an index into the key set", "0x0"), named("k", "a printf format", "%s%n%x"),
    ]

    private static func named(_ letter: String, _ what: String, _ keyID: String) -> Forgery {
        Forgery(letter, "whose `kid` is \(what)") { draft, _ in
            draft.header["kid"] = .text(keyID)
        }
    }

    private static let malformed: [Forgery] = [
        valued("l", "DEL", "\u{7F}"), valued("m", "10 KB long", .text(String(repeating: "k", count: 10_240))),
        valued("n", "NUL", .raw("\"\\u0000\""), reveals: [.crashOnGarbage]), valued("o", "a number", 1),
        valued("p", "false", .bool(false)), valued("q", "a list", ["a"]), valued("r", "an object", .object([])),
        valued("s", "a line feed", "a\nb"),
    ]

    private static func valued(
        _ letter: String, _ what: String, _ value: Forged, reveals: Set<Mistake> = []
    ) -> Forgery {
        Forgery(letter, "whose `kid` is \(what)", reveals: reveals) { draft, _ in
            draft.header["kid"] = value
        }
    }
}
