/// ID tokens whose header names a key in a dangerous way, with a valid signature of the provider.
enum ForgedKeyIDs {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-13", severity: .high,
            oracle: "A `kid` is compared with those of the key set, and is nothing else.",
            source: "RFC 8725 3.10; jwt_tool kid tests; PROF Key Confusion 5", reasons: ["unknown_key"],
            forgeries: unknown),
        ForgeryRow(
            id: "IDT-13", severity: .high, oracle: "A `kid` is a text of 1 to 256 bytes.",
            source: "RFC 8725 3.10; RFC 7515 4.1.4", reasons: ["malformed_token"], forgeries: malformed),
    ]

    private static let unknown: [Forgery] = [
        named("a", "a path upwards", "../../../../../../dev/null"), named("b", "a path", "/dev/null"),
        named("c", "SQL", "x' UNION SELECT '1';--"), named("d", "a command of a shell", "|sleep 10"),
        named("e", "a command in backquotes", "`sleep 10`"),
        Forgery("f", "`kid` is the URL of a stranger's key.") { draft, strike in
            draft.header["kid"] = .text(try strike.standIns.addresses.hostile + "/key")
        },
        Forgery("g", "`kid` is a stranger's key, whole.") { draft, _ in
            let key = try OwnKey.p256(nil)
            key.sign(&draft)
            draft.header["kid"] = .text(key.jwk().text)
        },
        Forgery("h", "`kid` is the provider's in capitals.") { draft, strike in
            draft.header["kid"] = .text(try await strike.providerKey("own_kid").uppercased())
        },
        Forgery("i", "`kid` is the provider's with a space behind it.") { draft, strike in
            draft.header["kid"] = .text(try await strike.providerKey("own_kid") + " ")
        },
        named("j", "the place of the key in the set", "0x0"), named("k", "a format of printf", "%s%n%x"),
    ]

    private static func named(_ letter: String, _ what: String, _ keyID: String) -> Forgery {
        Forgery(letter, "`kid` is \(what).") { draft, _ in draft.header["kid"] = .text(keyID) }
    }

    private static let malformed: [Forgery] = [
        valued("l", "empty", ""), valued("m", "10 KB long", .text(String(repeating: "k", count: 10_240))),
        valued("n", "NUL", .raw("\"\\u0000\""), reveals: [.crashOnGarbage]), valued("o", "a number", 1),
        valued("p", "null", .null), valued("q", "a list", ["a"]), valued("r", "an object", .object([])),
        valued("s", "a line feed", "a\nb"),
    ]

    private static func valued(
        _ letter: String, _ what: String, _ value: Forged, reveals: Set<Mistake> = []
    ) -> Forgery {
        Forgery(letter, "`kid` is \(what).", reveals: reveals) { draft, _ in draft.header["kid"] = value }
    }
}
