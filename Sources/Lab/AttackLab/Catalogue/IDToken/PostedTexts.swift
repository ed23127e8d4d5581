/// Texts sent as ID tokens that are not compact JWS.
enum PostedTexts {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-04", severity: .high, oracle: "The server rejects a token without exactly two dots.",
            source: "CVE-2023-51774; CVE-2025-30204; CVE-2025-22868", reasons: ["malformed_token"],
            reveals: [.crashOnGarbage], forgeries: segments),
        ForgeryRow(
            id: "IDT-33", severity: .medium,
            oracle:
                "The server rejects a posted token of more than 16 KiB, and one of a token endpoint of more than 64 KiB.",
            source: "CVE-2025-61920", reasons: ["malformed_token"], reveals: [.crashOnGarbage],
            forgeries: [
                Forgery("a", "of 20 KB", doors: TokenDoor.posted) { $0 + String(repeating: "A", count: 20_000) },
                Forgery("b", "of 70 KB", doors: TokenDoor.redeemed) { $0 + String(repeating: "A", count: 70_000) },
            ]),
        ForgeryRow(
            id: "IDT-34", severity: .high, oracle: canonical, source: encodings, reasons: ["malformed_token"],
            reveals: [.lenientBase64URL, .crashOnGarbage], forgeries: faults),
        ForgeryRow(
            id: "IDT-34", severity: .high, oracle: canonical, source: encodings, reasons: ["malformed_token"],
            reveals: [.lenientBase64URL, .crashOnGarbage], renames: [.lenientBase64URL, .crashOnGarbage],
            forgeries: changes),
        ForgeryRow(
            id: "IDT-35", severity: .high, oracle: compact, source: serializations, reasons: ["malformed_token"],
            reveals: [.crashOnGarbage],
            forgeries: [
                Forgery("a", "in the general JSON serialization, with a second payload") { general($0) },
                Forgery("b", "in the flattened JSON serialization") { flattened($0) },
            ]),
        ForgeryRow(
            id: "IDT-36", severity: .high, oracle: compact, source: serializations, reasons: ["malformed_token"],
            reveals: [.crashOnGarbage],
            forgeries: [
                Forgery("a", "as a JWE that no key decrypts") { _ in
                    "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AAAA.AAAA.AAAA"
                }
            ]),
    ]

    private static let canonical = "The server accepts only canonical base64url."
    private static let encodings = "RFC 7515 2; Wycheproof json_web_signature 360-375"
    private static let compact = "The server accepts only the compact serialization of a JWS."
    private static let serializations = "CVE-2022-39227; CVE-2023-51774; Wycheproof json_web_signature 17"

    private static let segments: [Forgery] = [
        Forgery("a", "with one part") { $0.components(".")[0] },
        Forgery("b", "with two parts") { $0.components(".").dropLast().joined(separator: ".") },
        Forgery("c", "with four parts") { $0 + ".e30" },
        Forgery("d", "with five segments, like a JWE") { $0 + ".e30.e30" },
        Forgery("e", "with 10,000 dots") { $0 + String(repeating: ".", count: 10_000) },
        Forgery("f", "of dots only") { _ in ".." },
        Forgery("g", "with an empty header") { "." + $0.components(".").dropFirst().joined(separator: ".") },
        Forgery("h", "with a trailing dot") { $0 + "." },
        Forgery("i", "with a leading dot") { "." + $0 },
    ]

    private static let faults: [Forgery] = [
        Forgery("a", "with padding after the signature") { $0 + "==" },
        Forgery("b", "with one `=` at its end") { $0 + "=" },
        Forgery("c", "with a space in the signature") { inside($0, " ") },
        Forgery("d", "with `?` in the signature") { inside($0, "?") },
        Forgery("e", "with `#` at its end") { $0 + "#" },
        Forgery("h", "whose last character has unused bits set") { token in
            TokenSpelling.replacing(2, of: token) { TokenSpelling.tails($0).first ?? $0 }
        },
        Forgery("l", "with a character outside ASCII in the signature") { inside($0, "é") },
        Forgery("m", "with `*` in the signature") { inside($0, "*") },
    ]

    /// Their signature is invalid, if they are decoded leniently.
    private static let changes: [Forgery] = [
        Forgery("f", "with `%3D%3D` at its end") { $0 + "%3D%3D" },
        Forgery("g", "without the last character of its signature") { String($0.dropLast()) },
        Forgery("i", "with a space in the payload") { TokenSpelling.replacing(1, of: $0) { inside($0, " ") } },
        Forgery("j", "with padding after the payload") { TokenSpelling.replacing(1, of: $0) { $0 + "=" } },
        Forgery("k", "with padding after the header") { TokenSpelling.replacing(0, of: $0) { $0 + "=" } },
    ]

    private static func inside(_ text: String, _ character: String) -> String {
        text.dropLast(20) + character + text.suffix(20)
    }

    private static func general(_ token: String) -> String {
        let parts = token.components(".")
        let signature = "{\"protected\":\"\(parts[0])\",\"signature\":\"\(parts[2])\"}"
        return "{\"payload\":\"\(parts[1])\",\"signatures\":[\(signature)],\"payload2\":\"e30\"}"
    }

    private static func flattened(_ token: String) -> String {
        let parts = token.components(".")
        return "{\"payload\":\"\(parts[1])\",\"protected\":\"\(parts[0])\",\"signature\":\"\(parts[2])\"}"
    }

    // MARK: - Texts that the body of a request cannot contain

    static let attacks: [Attack] = sizes + controls + [alphabet]

    private static let sizes: [Attack] = [
        size("b", "40 KB", 40_000, .malformed("malformed_body").or(.refused("malformed_token"))),
        size("c", "1 MB", 1_000_000, tooLarge, reveals: [.unboundedBody]),
        size("d", "10 MB", 10_000_000, tooLarge, reveals: [.unboundedBody]),
    ]

    private static let tooLarge = Expectation.tooLarge.orClosed

    private static func size(
        _ letter: String, _ what: String, _ count: Int, _ expectation: Expectation, reveals: Set<Mistake> = []
    ) -> Attack {
        Attack(
            "IDT-33" + letter, .idToken, .medium, "A token of \(what) is posted.",
            oracle: "The server rejects the token before it parses it, and reads at most 64 KiB of the body.",
            source: "CVE-2025-61920", reveals: reveals
        ) { context in
            let request = try await context.forged { $0.finish = { $0 + String(repeating: "A", count: count) } }
            await context.fire(request, expecting: expectation)
        }
    }

    private static let controls: [Attack] = [
        ("n", "a line feed", "\n"), ("o", "a tab", "\t"), ("p", "a carriage return", "\r"),
    ].map { letter, what, character in
        Attack(
            "IDT-34" + letter, .idToken, .medium, "A token with \(what) in the signature is posted.",
            oracle: "The server rejects a token with control characters.", source: "RFC 7515 2"
        ) { context in
            await context.fire(
                try await context.forged { $0.finish = { inside($0, character) } },
                expecting: .malformed("malformed_body").or(.refused("malformed_token")))
        }
    }

    private static let alphabet = Attack(
        "IDT-34q", .idToken, .high, "A token in the base64 alphabet, with `+` and `/`, is posted.", oracle: canonical,
        source: encodings, reveals: [.lenientBase64URL, .crashOnGarbage]
    ) { context in
        // The signature must contain a character of which the two alphabets differ.
        for _ in 0..<40 {
            let request = try await context.forged {
                $0.finish = { $0.replacing("-", with: "+").replacing("_", with: "/") }
            }
            guard request.body.contains(UInt8(ascii: "+")) || request.body.contains(UInt8(ascii: "/")) else { continue }
            return await context.refuse(request)
        }
        throw Inconclusive("No signature contains `-` or `_`.")
    }
}

extension AttackContext {
    fileprivate func refuse(_ request: Request) async {
        await fire(request, expecting: .refused("malformed_token"))
    }
}
