internal import Jansson

/// Texts posted as ID tokens that are not compact JWS.
enum PostedTexts {
    static let attacks: [Attack] = [segments, sizes, faults, otherForms].flatMap(\.self)

    private static let segments: [Attack] = [
        segment("a", "one part") { $0.components(".")[0] },
        segment("b", "two parts") { $0.components(".").dropLast().joined(separator: ".") },
        segment("c", "four parts") { $0 + ".e30" },
        segment("d", "five segments, like a JWE") { $0 + ".e30.e30" },
        segment("e", "10,000 dots") { $0 + String(repeating: ".", count: 10_000) },
        segment("f", "dots alone") { _ in ".." },
        segment("g", "an empty header") { "." + $0.components(".").dropFirst().joined(separator: ".") },
        segment("h", "a trailing dot") { $0 + "." },
        segment("i", "a leading dot") { "." + $0 },
    ]

    private static func segment(
        _ letter: String, _ what: String, _ change: @escaping @Sendable (String) -> String
    ) -> Attack {
        text(
            "IDT-04" + letter, .high, "A token with \(what) is posted.",
            oracle: "The server rejects a token without exactly two dots.",
            source: "CVE-2023-51774; CVE-2025-30204; CVE-2025-22868", reveals: [.crashOnGarbage], change)
    }

    private static let sizes: [Attack] = [
        text(
            "IDT-33a", .medium, "A token of 20 KB is posted.",
            oracle: "The server rejects a token of more than 16 KiB.",
            source: "CVE-2025-61920", reveals: [.crashOnGarbage]
        ) { $0 + String(repeating: "A", count: 20_000) },
        text(
            "IDT-33b", .medium, "A token of 40 KB is posted.",
            oracle: "The server rejects the token before it parses it.",
            source: "CVE-2025-61920", expecting: .malformed("malformed_body").or(.refused("malformed_token"))
        ) { $0 + String(repeating: "A", count: 40_000) },
        text(
            "IDT-33c", .medium, "A token of 1 MB is posted.",
            oracle: "The server responds with 413 and reads at most 64 KiB of the body.",
            source: "CVE-2025-61920", reveals: [.unboundedBody], expecting: tooLarge
        ) { $0 + String(repeating: "A", count: 1_000_000) },
        text(
            "IDT-33d", .medium, "A token of 10 MB is posted.",
            oracle: "The server responds with 413 and reads at most 64 KiB of the body.",
            source: "CVE-2025-61920", reveals: [.unboundedBody], expecting: tooLarge
        ) { $0 + String(repeating: "A", count: 10_000_000) },
    ]

    private static let tooLarge = Expectation(
        statuses: [413], errors: ["invalid_request"], reasons: ["body_too_large"]
    ).orClosed

    private static let faults: [Attack] = [
        fault("a", "with padding after the signature") { $0 + "==" },
        fault("b", "with one `=` at its end") { $0 + "=" },
        fault("c", "with a space in the signature") { inside($0, " ") },
        fault("d", "with `?` in the signature") { inside($0, "?") },
        fault("e", "with `#` at its end") { $0 + "#" },
        fault("f", "with `%3D%3D` at its end") { $0 + "%3D%3D" },
        fault("g", "without the last character of its signature") { String($0.dropLast()) },
        fault("h", "whose last character has unused bits set") { token in
            TokenSpelling.replacing(2, of: token) { TokenSpelling.tails($0).first ?? $0 }
        },
        fault("i", "with a space in the payload") { TokenSpelling.replacing(1, of: $0) { inside($0, " ") } },
        fault("j", "with padding after the payload") { TokenSpelling.replacing(1, of: $0) { $0 + "=" } },
        fault("k", "with padding after the header") { TokenSpelling.replacing(0, of: $0) { $0 + "=" } },
        fault("l", "with a character outside ASCII in the signature") { inside($0, "é") },
        fault("m", "with `*` in the signature") { inside($0, "*") },
        fault("q", "in the base64 alphabet, with `+` and `/`,") {
            $0.replacing("-", with: "+").replacing("_", with: "/")
        },
        control("n", "a line feed", "\n"), control("o", "a tab", "\t"), control("p", "a carriage return", "\r"),
    ]

    private static func fault(
        _ letter: String, _ what: String, _ change: @escaping @Sendable (String) -> String
    ) -> Attack {
        text(
            "IDT-34" + letter, .high, "A token \(what) is posted.",
            oracle: "The server accepts only canonical base64url.",
            source: "RFC 7515 2; Wycheproof json_web_signature 360-375",
            reveals: [.lenientBase64URL, .crashOnGarbage], change)
    }

    private static func control(_ letter: String, _ what: String, _ character: String) -> Attack {
        text(
            "IDT-34" + letter, .medium, "A token with \(what) in the signature is posted.",
            oracle: "The server rejects a token with control characters.", source: "RFC 7515 2",
            expecting: .malformed("malformed_body").or(.refused("malformed_token"))
        ) { inside($0, character) }
    }

    private static func inside(_ text: String, _ character: String) -> String {
        text.dropLast(20) + character + text.suffix(20)
    }

    private static let otherForms: [Attack] = [
        form("IDT-35a", "in the general JSON serialization, with a second payload") { general($0) },
        form("IDT-35b", "in the flattened JSON serialization") { flattened($0) },
        form("IDT-36a", "as a JWE that no key decrypts") { _ in
            "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AAAA.AAAA.AAAA"
        },
    ]

    private static func form(
        _ id: String, _ what: String, _ change: @escaping @Sendable (String) -> String
    ) -> Attack {
        text(
            id, .high, "An ID token is posted \(what).",
            oracle: "The server accepts only the compact serialization of a JWS.",
            source: "CVE-2022-39227; CVE-2023-51774; Wycheproof json_web_signature 17", reveals: [.crashOnGarbage],
            change)
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

    private static func text(
        _ id: String, _ severity: Severity, _ sentence: String, oracle: String, source: String,
        reveals: Set<Mistake> = [], expecting expectation: Expectation = .refused("malformed_token"),
        _ change: @escaping @Sendable (String) -> String
    ) -> Attack {
        Attack(id, .idToken, severity, sentence, oracle: oracle, source: source, reveals: reveals) { strike in
            // Attacks that replace `-` and `_` need a signature that contains one of them.
            var request = try await strike.forged { $0.finish = change }
            for _ in 0..<40 where id == "IDT-34q" {
                let text = Array(request.body)
                if text.contains(UInt8(ascii: "+")) || text.contains(UInt8(ascii: "/")) { break }
                request = try await strike.forged { $0.finish = change }
            }
            await strike.fire(request, expecting: expectation)
        }
    }
}
