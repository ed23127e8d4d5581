/// ID tokens with a valid signature of the provider whose header or payload is not one strict JSON object.
enum ForgedDocuments {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-30", severity: .critical,
            oracle: "The server rejects a token with a duplicate member that it needs.",
            source: "RFC 7519 4; RFC 7515 4; PROF ID Spoofing 8, 9; jansson's default", reasons: duplicateReasons,
            reveals: [.duplicateMembers, .crashOnGarbage], forgeries: duplicates),
        ForgeryRow(
            id: "IDT-30", severity: .critical,
            oracle: "The server rejects a token with a duplicate member that it needs.",
            // A reader that takes the last member refuses it for the same reason.
            source: "RFC 7519 4; RFC 7515 4; PROF ID Spoofing 8, 9; jansson's default", reasons: duplicateReasons,
            reveals: [.crashOnGarbage], renames: [.crashOnGarbage], forgeries: duplicateAudience),
        ForgeryRow(
            id: "IDT-30", severity: .critical,
            oracle: "The server rejects a token with a duplicate member in its header.",
            source: "RFC 7519 4; RFC 7515 4; PROF ID Spoofing 8, 9; jansson's default", reasons: ["malformed_token"],
            reveals: [.duplicateMembers, .crashOnGarbage], renames: [.duplicateMembers, .crashOnGarbage],
            forgeries: duplicateAlgorithm),
        ForgeryRow(
            id: "IDT-31", severity: .high,
            oracle: "The server accepts only a payload that is exactly one JSON object in UTF-8.",
            source: "RFC 8725 3.7; Wycheproof json_web_signature 259", reasons: ["malformed_token"],
            reveals: [.crashOnGarbage], forgeries: payloads),
        ForgeryRow(
            id: "IDT-31", severity: .high,
            oracle: "The server accepts only a header that is exactly one JSON object in UTF-8.",
            source: "RFC 7515 4; RFC 8725 3.7", reasons: ["malformed_token"], reveals: [.crashOnGarbage],
            forgeries: headers),
        ForgeryRow(
            id: "IDT-32", severity: .high, oracle: "The server immediately rejects JSON that is too deep or too large.",
            source: "CVE-2025-53864; jansson's limits", reasons: ["malformed_token"], reveals: [.crashOnGarbage],
            forgeries: bombs),
    ]

    private static let duplicateReasons: Set = [
        "malformed_token", "audience_mismatch", "nonce_mismatch", "issuer_mismatch",
    ]

    private static let victim = "ALICEWJNWVNQD4GXZ5NGMZUST4"

    private static let duplicates: [Forgery] = [
        claim("a", "whose `sub` occurs twice, the victim's first") {
            $0.prepend("sub", .text(victim))
        },
        claim("b", "whose `sub` occurs twice, the victim's last") {
            $0.append("sub", .text(victim))
        },
        claim("c", "whose `aud` occurs twice, another client id first") {
            $0.prepend("aud", "another-client")
        },
        claim("e", "whose `nonce` occurs twice, another value first") {
            $0.prepend("nonce", "another")
        },
        claim("f", "whose `exp` occurs twice, one in the past first") { $0.prepend("exp", 1) },
        Forgery("g", "whose `alg` occurs twice, `none` first") { draft, _ in
            draft.header.prepend("alg", "none")
        },
        Forgery("i", "whose `kid` occurs twice, an unknown one first") { draft, _ in
            draft.header.prepend("kid", "x")
        },
        Forgery("j", "whose `sub` occurs twice, once with an escape in its name") { draft, _ in
            let json = String(decoding: draft.claims.bytes, as: UTF8.self)
            draft.claims.raw = Array("{\"s\\u0075b\":\"\(victim)\",\(json.dropFirst())".utf8)
        },
        claim("k", "whose `iss` occurs twice, another issuer first") {
            $0.prepend("iss", "https://evil.example")
        },
    ]

    private static let duplicateAudience: [Forgery] = [
        claim("d", "whose `aud` occurs twice, another client id last") {
            $0.append("aud", "another-client")
        }
    ]

    /// A reader that takes the last member refuses it as well.
    private static let duplicateAlgorithm: [Forgery] = [
        Forgery("h", "whose `alg` occurs twice, `none` last") { draft, _ in
            draft.header.append("alg", "none")
        }
    ]

    private static func claim(
        _ letter: String, _ what: String, _ change: @escaping @Sendable (inout ForgedMembers) -> Void
    ) -> Forgery {
        Forgery(letter, what) { draft, _ in change(&draft.claims) }
    }

    private static let payloads: [Forgery] = [
        payload("a", "not JSON") { _ in Array("sub=alice".utf8) },
        payload("b", "a list") { Array("[".utf8) + $0 + Array("]".utf8) },
        payload("c", "a text") { _ in Array("\"alice\"".utf8) },
        payload("d", "followed by another JSON value") { $0 + Array(" {}".utf8) },
        payload("e", "preceded by a byte-order mark") { mark + $0 },
        payload("f", "in UTF-16") { utf16($0) },
        payload("g", "not UTF-8") { $0.dropLast() + notUTF8 },
        payload("h", "empty") { _ in [] },
        payload("i", "followed by a NUL") { $0 + [UInt8(0)] },
        payload("j", "preceded by a comment") { Array("/**/".utf8) + $0 },
        payload("k", "an object with a trailing comma") { $0.dropLast() + Array(",}".utf8) },
        payload("l", "null") { _ in Array("null".utf8) },
    ]

    private static func payload(
        _ letter: String, _ what: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Forgery {
        Forgery(letter, "whose payload is \(what)") { draft, _ in
            draft.claims.raw = change(draft.claims.bytes)
        }
    }

    private static let headers: [Forgery] = [
        header("m", "not JSON") { _ in Array("alg=ES256".utf8) },
        header("n", "a list") { Array("[".utf8) + $0 + Array("]".utf8) },
        header("o", "followed by another JSON value") { $0 + Array("{}".utf8) },
        header("p", "preceded by a byte-order mark") { mark + $0 },
        header("q", "in UTF-16") { utf16($0) },
        header("r", "cut short") { Array($0.dropLast()) },
    ]

    private static func header(
        _ letter: String, _ what: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Forgery {
        Forgery(letter, "whose header is \(what)") { draft, _ in
            draft.header.raw = change(draft.header.bytes)
        }
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let notUTF8: [UInt8] = [0xFF, 0x7D]

    private static func utf16(_ text: [UInt8]) -> [UInt8] { text.flatMap { [UInt8(0), $0] } }

    private static let bombs: [Forgery] = [
        more(
            "a", "arrays nested 3,000 deep",
            String(repeating: "[", count: 3_000) + String(repeating: "]", count: 3_000)),
        more("b", "objects nested 1,500 deep", nested),
        more("c", "a number of 2,000 digits", String(repeating: "9", count: 2000)), more("d", "the number 01", "01"),
        more(
            "e", "a string of 20 KB", "\"" + String(repeating: "x", count: 20_000) + "\"", doors: TokenDoor.posted),
        more(
            "h", "a string of 70 KB", "\"" + String(repeating: "x", count: 70_000) + "\"", doors: TokenDoor.redeemed),
        more("f", "an array of 6,000 numbers", "[0" + String(repeating: ",0", count: 6_000) + "]", payload: "[["),
        Forgery("g", "whose header contains arrays nested 3,000 deep") { draft, _ in
            draft.header["x"] = .raw(String(repeating: "[", count: 3_000) + String(repeating: "]", count: 3_000))
        },
    ]

    private static let nested =
        String(repeating: "{\"a\":", count: 1_500) + "0" + String(repeating: "}", count: 1_500)

    /// - `payload`: Text after the value, for payloads that are not JSON.
    private static func more(
        _ letter: String, _ what: String, _ value: String, payload rest: String = "",
        doors: [TokenDoor] = TokenDoor.allCases
    ) -> Forgery {
        Forgery(letter, "whose payload contains \(what)", doors: doors) { draft, _ in
            draft.claims["x"] = .raw(value + rest)
        }
    }
}
