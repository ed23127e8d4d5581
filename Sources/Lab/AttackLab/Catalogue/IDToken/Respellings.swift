internal import Jansson

/// ID tokens that were used before, in other words.
enum Respellings {
    static let attacks: [Attack] = [
        Replays.replay(
            "IDT-41a", "A used ID token is posted with (r, n − s) in the place of its signature (r, s).",
            reveals: [.notRemembered, .rememberedByText]
        ) { strike in
            let (token, verifier) = try await Replays.used(strike)
            let other = TokenSpelling.signature(of: token, ECDSASignature.other(than:))
            await strike.fire(strike.exchange(idToken: other, nonce: verifier), expecting: .refused("replayed"))
        },
        Replays.replay(
            "IDT-41b", "An ID token is posted with (r, n − s), and then with its own signature.",
            reveals: [.notRemembered, .rememberedByText]
        ) { strike in
            let (token, verifier) = try await Replays.fresh(strike)
            let other = TokenSpelling.signature(of: token, ECDSASignature.other(than:))
            try await strike.honest(strike.exchange(idToken: other, nonce: verifier))
            await strike.fire(strike.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"))
        },
        Replays.replay(
            "IDT-42a", "A used ID token of ES256 is posted in the 15 other spellings of its signature.",
            reveals: [.lenientBase64URL, .crashOnGarbage], strike: { try await tails($0, rsa: false) }),
        Replays.replay(
            "IDT-42b", "A used ID token of RS256 is posted in the 15 other spellings of its signature.",
            reveals: [.lenientBase64URL, .crashOnGarbage], strike: { try await tails($0, rsa: true) }),
        Replays.replay(
            "IDT-42c", "A used ID token is posted with bits behind its payload and its header that decode to nothing.",
            reveals: [.lenientBase64URL, .crashOnGarbage]
        ) { strike in
            let (nonce, verifier) = try await strike.nonce()
            var draft = try await strike.draft(nonce: nonce)
            // A part whose length is a multiple of three has no unused bits.
            for number in 0..<2 where draft.claims.bytes.count % 3 == 0 {
                draft.claims["x\(number)"] = .text("")
            }
            for number in 0..<2 where draft.header.bytes.count % 3 == 0 {
                draft.header["x\(number)"] = .text("")
            }
            let token = try await draft.token(by: strike.standIns)
            try await strike.honest(strike.exchange(idToken: token, nonce: verifier))
            for part in 0...1 {
                await strike.expect(
                    !TokenSpelling.tails(token.components(".")[part]).isEmpty, .wrongAnswer,
                    "There are no other spellings.")
                for tail in TokenSpelling.tails(token.components(".")[part]) {
                    let spelling = TokenSpelling.replacing(part, of: token) { _ in tail }
                    await strike.fire(
                        strike.exchange(idToken: spelling, nonce: verifier), expecting: .refused("malformed_token"))
                }
            }
        },
        Replays.replay(
            "IDT-43a", "A used ID token is posted with spaces, line feeds, `Bearer ` and percent signs about it.",
            reveals: [.crashOnGarbage]
        ) { strike in
            let (token, verifier) = try await Replays.used(strike)
            let dotted = token.replacing(".", with: "%2E")
            let spellings = [
                " " + token, token + " ", token + "\n", "\t" + token, "Bearer " + token, dotted, "\u{FEFF}" + token,
                token + "\u{200B}", "\"\(token)\"", token.replacing(".", with: "\u{3002}"), token + "\u{0}",
            ]
            for spelling in spellings {
                await strike.fire(
                    strike.exchange(idToken: spelling, nonce: verifier),
                    expecting: .malformed("malformed_body").or(
                        .refused("malformed_token", "signature_invalid", "replayed")))
            }
        },
        Replays.replay(
            "IDT-43b", "A used ID token is posted with JSON's escapes for its dots and for every letter.",
            reveals: [.notRemembered]
        ) { strike in
            let (token, verifier) = try await Replays.used(strike)
            let every = token.unicodeScalars.map { "\\u00" + Base16.encode([UInt8($0.value & 0xFF)]) }.joined()
            let plain = String(decoding: strike.exchange(idToken: token, nonce: verifier).body, as: UTF8.self)
            for spelling in [token.replacing(".", with: "\\u002e"), token.replacing(".", with: "\\u002E"), every] {
                await strike.fire(
                    .json("/v1/exchange", text: plain.replacing(token, with: spelling)), expecting: .refused("replayed")
                )
            }
        },
    ]

    private static func tails(_ strike: Strike, rsa: Bool) async throws {
        let (token, verifier) = try await Replays.used(strike, rsa: rsa)
        let tails = TokenSpelling.tails(token.components(".")[2])
        await strike.expect(tails.count == 15, .wrongAnswer, "There are \(tails.count) other spellings.")
        for tail in tails {
            let spelling = TokenSpelling.replacing(2, of: token) { _ in tail }
            await strike.fire(
                strike.exchange(idToken: spelling, nonce: verifier), expecting: .refused("malformed_token"))
        }
    }
}
