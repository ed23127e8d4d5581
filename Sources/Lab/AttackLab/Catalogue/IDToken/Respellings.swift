/// Replays of used ID tokens in another encoding.
enum Respellings {
    static let attacks: [Attack] = [
        Replays.replay(
            "IDT-41a", "A used ID token is posted with the signature (r, n − s) in place of (r, s).",
            reveals: [.notRemembered, .rememberedByText]
        ) { context in
            let (token, verifier) = try await Replays.used(context)
            let other = TokenSpelling.signature(of: token, ECDSASignature.other(than:))
            await context.fire(context.exchange(idToken: other, nonce: verifier), expecting: .refused("replayed"))
        },
        Replays.replay(
            "IDT-41b", "An ID token is posted with (r, n − s), and then with its own signature.",
            reveals: [.notRemembered, .rememberedByText]
        ) { context in
            let (token, verifier) = try await Replays.fresh(context)
            let other = TokenSpelling.signature(of: token, ECDSASignature.other(than:))
            try await context.honest(context.exchange(idToken: other, nonce: verifier))
            await context.fire(context.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"))
        },
        Replays.replay(
            "IDT-42a", "A used ES256 ID token is posted in the 15 other encodings of its signature.",
            reveals: [.lenientBase64URL, .crashOnGarbage], run: { try await tails($0, rsa: false) }),
        Replays.replay(
            "IDT-42b", "A used RS256 ID token is posted in the 15 other encodings of its signature.",
            reveals: [.lenientBase64URL, .crashOnGarbage], run: { try await tails($0, rsa: true) }),
        Replays.replay(
            "IDT-42c", "A used ID token is posted with unused bits set at the end of its payload and header.",
            reveals: [.lenientBase64URL, .crashOnGarbage]
        ) { context in
            let (nonce, verifier) = try await context.nonce()
            var draft = try await context.draft(nonce: nonce)
            // A segment whose decoded length is a multiple of three has no unused bits.
            for number in 0..<2 where draft.claims.bytes.count % 3 == 0 {
                draft.claims["x\(number)"] = .text("")
            }
            for number in 0..<2 where draft.header.bytes.count % 3 == 0 {
                draft.header["x\(number)"] = .text("")
            }
            let token = try await draft.token(by: context.standIns)
            try await context.honest(context.exchange(idToken: token, nonce: verifier))
            for part in 0...1 {
                await context.expect(
                    !TokenSpelling.tails(token.components(".")[part]).isEmpty, .wrongAnswer,
                    "There are no other encodings.")
                for tail in TokenSpelling.tails(token.components(".")[part]) {
                    let spelling = TokenSpelling.replacing(part, of: token) { _ in tail }
                    await context.fire(
                        context.exchange(idToken: spelling, nonce: verifier), expecting: .refused("malformed_token"))
                }
            }
        },
        Replays.replay(
            "IDT-43a", "A used ID token is posted with added spaces, line feeds, `Bearer ` and percent-encoding.",
            reveals: [.crashOnGarbage]
        ) { context in
            let (token, verifier) = try await Replays.used(context)
            let dotted = token.replacing(".", with: "%2E")
            let spellings = [
                " " + token, token + " ", token + "\n", "\t" + token, "Bearer " + token, dotted, "\u{FEFF}" + token,
                token + "\u{200B}", "\"\(token)\"", token.replacing(".", with: "\u{3002}"), token + "\u{0}",
            ]
            for spelling in spellings {
                await context.fire(
                    context.exchange(idToken: spelling, nonce: verifier),
                    expecting: .malformed("malformed_body").or(
                        .refused("malformed_token", "signature_invalid", "replayed")))
            }
        },
        Replays.replay(
            "IDT-43b", "A used ID token is posted with JSON escapes for its dots and for every character.",
            reveals: [.notRemembered]
        ) { context in
            let (token, verifier) = try await Replays.used(context)
            let every = token.unicodeScalars.map { "\\u00" + Base16.encode([UInt8($0.value & 0xFF)]) }.joined()
            let plain = String(decoding: context.exchange(idToken: token, nonce: verifier).body, as: UTF8.self)
            for spelling in [token.replacing(".", with: "\\u002e"), token.replacing(".", with: "\\u002E"), every] {
                await context.fire(
                    .json("/v1/exchange", text: plain.replacing(token, with: spelling)), expecting: .refused("replayed")
                )
            }
        },
    ]

    private static func tails(_ context: AttackContext, rsa: Bool) async throws {
        let (token, verifier) = try await Replays.used(context, rsa: rsa)
        let tails = TokenSpelling.tails(token.components(".")[2])
        await context.expect(tails.count == 15, .wrongAnswer, "There are \(tails.count) other encodings.")
        for tail in tails {
            let spelling = TokenSpelling.replacing(2, of: token) { _ in tail }
            await context.fire(
                context.exchange(idToken: spelling, nonce: verifier), expecting: .refused("malformed_token"))
        }
    }
}

/// Conversions of ES256 signatures.
enum ECDSASignature {
    /// The order `n` of P-256 (SP 800-186 §3.2.1.3).
    static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Returns (r, n − s) for (r, s): each valid signature yields a second one.
    static func other(than signature: [UInt8]) -> [UInt8] {
        guard signature.count == 64 else { return signature }
        return signature.prefix(32) + difference(order, Array(signature.suffix(32)))
    }

    /// The scalars 0, 1, n − 1 and n, 32 bytes each.
    static let edges: [[UInt8]] = {
        let zero = [UInt8](repeating: 0, count: 32)
        let one: [UInt8] = zero.dropLast() + [1]
        return [zero, one, difference(order, one), order]
    }()

    /// Returns the signature as ECDSA-Sig-Value (RFC 3279 §2.2.3), which is not the JWS format (RFC 7518 §3.4).
    static func der(_ signature: [UInt8]) -> [UInt8] {
        let numbers = [signature.prefix(32), signature.dropFirst(32)].flatMap { number -> [UInt8] in
            let digits = Array(number.drop { $0 == 0 })
            let padded = digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits
            return [0x02, UInt8(padded.count)] + padded
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }

    private static func difference(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var result = a
        var borrow: Int16 = 0
        for index in a.indices.reversed() {
            let digit = Int16(a[index]) - Int16(b[index]) - borrow
            borrow = digit < 0 ? 1 : 0
            result[index] = UInt8(truncatingIfNeeded: digit)
        }
        return result
    }
}

extension TokenSpelling {
    /// Returns the token with its signature replaced.
    static func signature(of token: String, _ change: ([UInt8]) -> [UInt8]) -> String {
        replacing(2, of: token) { Base64.urlEncode(change(Base64.urlDecode($0) ?? [])) }
    }

    /// Returns all other encodings of one segment, which differ only in the unused bits after its last octet.
    static func tails(_ text: String) -> [String] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = text.last, let place = alphabet.firstIndex(of: last) else { return [] }
        let unused = text.count % 4 == 2 ? 16 : text.count % 4 == 3 ? 4 : 1
        return (0..<unused).filter { $0 != place % unused }.map {
            text.dropLast() + String(alphabet[place / unused * unused + $0])
        }
    }
}

extension TokenDraft {
    mutating func alterSignature(_ change: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        finish = { TokenSpelling.signature(of: $0, change) }
    }
}
