internal import Jansson

/// What is posted as an ID token and is none.
enum PostedTexts {
    static let attacks: [Attack] = [segments, sizes, faults, otherForms].flatMap(\.self)

    private static let segments: [Attack] = [
        segment("a", "one part") { $0.components(".")[0] },
        segment("b", "two parts") { $0.components(".").dropLast().joined(separator: ".") },
        segment("c", "four parts") { $0 + ".e30" },
        segment("d", "five parts, as a JWE") { $0 + ".e30.e30" },
        segment("e", "10,000 dots") { $0 + String(repeating: ".", count: 10_000) },
        segment("f", "dots alone") { _ in ".." },
        segment("g", "an empty header") { "." + $0.components(".").dropFirst().joined(separator: ".") },
        segment("h", "a dot behind it") { $0 + "." },
        segment("i", "a dot before it") { "." + $0 },
    ]

    private static func segment(
        _ letter: String, _ what: String, _ change: @escaping @Sendable (String) -> String
    ) -> Attack {
        text(
            "IDT-04" + letter, .high, "A token with \(what) is posted.",
            oracle: "Dots are counted before anything is split.",
            source: "CVE-2023-51774; CVE-2025-30204; CVE-2025-22868", reveals: [.crashOnGarbage], change)
    }

    private static let sizes: [Attack] = [
        text(
            "IDT-33a", .medium, "A token of 20 KB is posted.", oracle: "More than 16 KiB is no ID token.",
            source: "CVE-2025-61920", reveals: [.crashOnGarbage]
        ) { $0 + String(repeating: "A", count: 20_000) },
        text(
            "IDT-33b", .medium, "A token of 40 KB is posted.", oracle: "Refused before it is read.",
            source: "CVE-2025-61920", expecting: .malformed("malformed_body").or(.refused("malformed_token"))
        ) { $0 + String(repeating: "A", count: 40_000) },
        text(
            "IDT-33c", .medium, "A token of 1 MB is posted.", oracle: "413: more than 64 KiB of body are not read.",
            source: "CVE-2025-61920", reveals: [.unboundedBody], expecting: tooLarge
        ) { $0 + String(repeating: "A", count: 1_000_000) },
        text(
            "IDT-33d", .medium, "A token of 10 MB is posted.", oracle: "413: more than 64 KiB of body are not read.",
            source: "CVE-2025-61920", reveals: [.unboundedBody], expecting: tooLarge
        ) { $0 + String(repeating: "A", count: 10_000_000) },
    ]

    private static let tooLarge = Expectation(
        statuses: [413], errors: ["invalid_request"], reasons: ["body_too_large"]
    ).orClosed

    private static let faults: [Attack] = [
        fault("a", "with padding behind the signature") { $0 + "==" },
        fault("b", "with one `=` behind it") { $0 + "=" },
        fault("c", "with a space in the signature") { inside($0, " ") },
        fault("d", "with `?` in the signature") { inside($0, "?") },
        fault("e", "with `#` behind it") { $0 + "#" },
        fault("f", "with `%3D` behind it") { $0 + "%3D%3D" },
        fault("g", "with a letter of the signature missing") { String($0.dropLast()) },
        fault("h", "whose last character has bits that decode to nothing") { token in
            TokenSpelling.replacing(2, of: token) { TokenSpelling.tails($0).first ?? $0 }
        },
        fault("i", "with a space in the payload") { TokenSpelling.replacing(1, of: $0) { inside($0, " ") } },
        fault("j", "with padding behind the payload") { TokenSpelling.replacing(1, of: $0) { $0 + "=" } },
        fault("k", "with padding behind the header") { TokenSpelling.replacing(0, of: $0) { $0 + "=" } },
        fault("l", "with a letter outside ASCII in the signature") { inside($0, "é") },
        fault("m", "with `*` in the signature") { inside($0, "*") },
        fault("q", "in the alphabet of base64, with `+` and `/`") {
            $0.replacing("-", with: "+").replacing("_", with: "/")
        },
        control("n", "a line feed", "\n"), control("o", "a tab", "\t"), control("p", "a carriage return", "\r"),
    ]

    private static func fault(
        _ letter: String, _ what: String, _ change: @escaping @Sendable (String) -> String
    ) -> Attack {
        text(
            "IDT-34" + letter, .high, "A token \(what) is posted.", oracle: "Only canonical base64url is read.",
            source: "RFC 7515 2; Wycheproof json_web_signature 360-375",
            reveals: [.lenientBase64URL, .crashOnGarbage], change)
    }

    private static func control(_ letter: String, _ what: String, _ character: String) -> Attack {
        text(
            "IDT-34" + letter, .medium, "A token with \(what) in the signature is posted.",
            oracle: "A text with control characters is refused.", source: "RFC 7515 2",
            expecting: .malformed("malformed_body").or(.refused("malformed_token"))
        ) { inside($0, character) }
    }

    private static func inside(_ text: String, _ character: String) -> String {
        text.dropLast(20) + character + text.suffix(20)
    }

    private static let otherForms: [Attack] = [
        form("IDT-35a", "in the general JSON serialization, with a second payload") { general($0) },
        form("IDT-35b", "in the flattened JSON serialization") { flattened($0) },
        form("IDT-36a", "as a JWE that no key opens") { _ in
            "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AAAA.AAAA.AAAA"
        },
    ]

    private static func form(
        _ id: String, _ what: String, _ change: @escaping @Sendable (String) -> String
    ) -> Attack {
        text(
            id, .high, "An ID token is posted \(what).", oracle: "Only the compact serialization of a JWS is read.",
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
            // A signature with `-` or `_` in it, for those who change just these.
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
