internal import Jansson

/// ID tokens with an invalid signature, and headers that try to make the server accept it.
enum ForgedSignatures {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-03", severity: .critical, oracle: "The server rejects an invalid signature.",
            source: "jwt_tool -X n; CVE-2020-28042; Wycheproof json_web_signature 34-36",
            reasons: ["signature_invalid"], reveals: [.signatureUnchecked], forgeries: broken),
        ForgeryRow(
            id: "IDT-09", severity: .critical, oracle: "The server verifies only with the key that `kid` names.",
            source: "OIDF invalid-sig-es256, invalid-sig-rs256", reasons: ["signature_invalid"],
            reveals: [.signatureUnchecked], forgeries: foreign),
        ForgeryRow(
            id: "IDT-10", severity: .critical, oracle: "The server ignores a key in the token.",
            source: "CVE-2018-0114; PROF Key Confusion 1, 2.3-2.5, 8", reasons: ["signature_invalid"],
            reveals: [.signatureUnchecked], forgeries: embedded),
        ForgeryRow(
            id: "IDT-12", severity: .critical, oracle: "The server ignores a certificate in the token.",
            source: "PROF Key Confusion 4-4.2", reasons: ["signature_invalid"], reveals: [.signatureUnchecked],
            forgeries: certified),
        ForgeryRow(
            id: "IDT-58", severity: .critical, oracle: "The server fetches no URL of the token.",
            source: "RFC 8725 3.10; CVE-2018-0114; PROF Key Confusion 2-3", reasons: ["signature_invalid"],
            reveals: [.signatureUnchecked], forgeries: fetched),
        ForgeryRow(
            id: "IDT-56", severity: .critical, oracle: "The server requires r and s of 32 bytes each, from 1 to n − 1.",
            source: "CVE-2022-21449; RFC 7518 3.4; Wycheproof json_web_signature 379-401",
            reasons: ["signature_invalid"], reveals: [.signatureUnchecked], forgeries: edges),
    ]

    private static let broken: [Forgery] = [
        Forgery(
            "a", "with an empty signature and an unchanged header",
            reasons: ["malformed_token"]
        ) {
            draft, _ in
            draft.key = .none
        },
        altered("b", "whose signature is three bytes shorter") { Array($0.dropLast(3)) },
        altered("c", "with one flipped bit in its signature") {
            $0.enumerated().map { $0 == 9 ? $1 ^ 1 : $1 }
        },
        altered("d", "whose signature is 64 zeros") { _ in [UInt8](repeating: 0, count: 64) },
        altered("e", "whose signature is 10 KB long") { _ in
            [UInt8](repeating: 0x5A, count: 10_240)
        },
        altered("f", "whose signature is one byte") { _ in [0] },
        altered("g", "whose signature is repeated") { $0 + $0 },
        Forgery("h", "whose payload is not the one that was signed") { draft, context in
            var changed = draft.claims
            changed["sub"] = "ALICEWJNWVNQD4GXZ5NGMZUST4"
            let payload = Base64.urlEncode(changed.bytes)
            draft.finish = { TokenSpelling.replacing(1, of: $0) { _ in payload } }
        },
        Forgery("i", "whose header is not the one that was signed") { draft, _ in
            var changed = draft.header
            changed["typ"] = "JWT"
            let header = Base64.urlEncode(changed.bytes)
            draft.finish = { TokenSpelling.replacing(0, of: $0) { _ in header } }
        },
    ]

    private static func altered(
        _ letter: String, _ what: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Forgery {
        Forgery(letter, what) { draft, _ in draft.alterSignature(change) }
    }

    private static let foreign: [Forgery] = [
        Forgery("a", "signed with an attacker's key of the same type, with the provider's `kid`") { draft, _ in
            draft.key = .foreign
        },
        Forgery("b", "signed with the attacker's RSA key, with the `kid` of the provider's RSA key") { draft, context in
            try OwnKey.rsa(try await context.providerKey("rsa_kid")).sign(&draft)
        },
        Forgery("c", "signed with the attacker's EC key, with `alg` RS256 and the `kid` of the RSA key") {
            draft, context in
            draft.useRSA(try await context.providerKey("rsa_kid"))
            draft.key = .foreign
        },
    ]

    private static let embedded: [Forgery] = [
        jwk("a", "whose header contains the attacker's key (`jwk`)") { key, _ in key.jwk() },
        Forgery(
            "b", "whose header contains the attacker's RSA key", reveals: [.headerKeyTrusted]
        ) { draft, context in
            let key = try OwnKey.rsa(try await context.providerKey("rsa_kid"))
            key.sign(&draft)
            draft.header["jwk"] = Forged(key.jwk())
        },
        jwk("c", "whose `jwk` is a URL", reveals: []) { _, hostile in
            .string(hostile + "/jwk.json")
        },
        jwk("d", "whose header contains a key that names URLs (`jku`, `x5u`)") { key, hostile in
            key.jwk(["jku": .string(hostile + "/jwks"), "x5u": .string(hostile + "/x5u")])
        },
        jwk("e", "whose header contains a key set as `jwk`", reveals: []) { key, _ in
            .keySet([key.jwk()])
        },
    ]

    private static func jwk(
        _ letter: String, _ what: String, reveals: Set<Mistake> = [.headerKeyTrusted],
        _ make: @escaping @Sendable (OwnKey, String) -> JSON
    ) -> Forgery {
        Forgery(letter, what, reveals: reveals) { draft, context in
            let key = try OwnKey.p256(try await context.providerKey("own_kid"))
            key.sign(&draft)
            draft.header["jwk"] = Forged(make(key, try context.standIns.addresses.hostile))
        }
    }

    private static let certified: [Forgery] = [
        certificates("a", "the attacker's certificate") { stranger, _ in [stranger] },
        certificates("b", "a trusted certificate, followed by the attacker's") { [$1, $0] },
        certificates("c", "the attacker's certificate, followed by a trusted one") { [$0, $1] },
    ]

    private static func certificates(
        _ letter: String, _ what: String, _ chain: @escaping @Sendable (String, String) -> [String]
    ) -> Forgery {
        Forgery(letter, "whose header contains \(what) (`x5c`)") { draft, context in
            let key = try OwnKey.rsa(try await context.providerKey("rsa_kid"))
            key.sign(&draft)
            guard let own = try key.certificate(now: context.lab.now),
                let other = try OwnKey.rsa(nil, other: true).certificate(now: context.lab.now)
            else { throw Inconclusive("There are no trusted certificates.") }
            draft.header["x5c"] = .array(chain(own, other).map { .text($0) })
        }
    }

    private static let fetched: [Forgery] = [
        place("a", "jku", "/jwks", reveals: [.headerURLFetched]), place("b", "x5u", "/x5u.pem"),
        place("c", "jwks_uri", "/jwks"), place("d", "iss", ""),
    ]

    private static func place(
        _ letter: String, _ member: String, _ path: String, reveals: Set<Mistake> = []
    ) -> Forgery {
        Forgery(
            letter,
            "whose `\(member)` is a URL at the attacker's host, which serves the attacker's key",
            reveals: reveals
        ) { draft, context in
            let standIns = try context.standIns
            let key = try OwnKey.p256(try await context.providerKey("own_kid"))
            try await standIns.hostileAnswer(path.isEmpty ? "/" : path, body: JSON.keySet([key.jwk()]).text)
            key.sign(&draft)
            draft.header[member] = .text(standIns.addresses.hostile + path)
        }
    }

    private static let edges: [Forgery] =
        corners + [
            altered("q", "whose signature is 63 bytes long") { Array($0.dropLast()) },
            altered("r", "whose signature is 65 bytes long") { $0 + [UInt8(0)] },
            altered("s", "whose signature is 96 bytes long") { $0 + $0.prefix(32) },
            altered("t", "whose valid signature is encoded in DER") { ECDSASignature.der($0) },
            altered("u", "with r and s of its signature swapped") {
                Array($0.suffix(32) + $0.prefix(32))
            },
            altered("v", "whose signature has leading zeros before r and s") { padded($0) },
        ]

    private static func padded(_ signature: [UInt8]) -> [UInt8] {
        [0] + Array(signature.prefix(32)) + [0] + Array(signature.suffix(32))
    }

    private static let corners: [Forgery] = {
        var corners: [Forgery] = []
        var letters = Array("abcdefghijklmnop").map(String.init).makeIterator()
        for (r, rName) in zip(ECDSASignature.edges, edgeNames) {
            for (s, sName) in zip(ECDSASignature.edges, edgeNames) {
                corners.append(
                    altered(
                        letters.next() ?? "", "whose signature is r = \(rName) and s = \(sName)"
                    ) { _ in r + s })
            }
        }
        return corners
    }()

    private static let edgeNames = ["0", "1", "n − 1", "n"]
}
